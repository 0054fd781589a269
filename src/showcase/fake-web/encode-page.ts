export type Charset = "utf-8" | "windows-1252" | "shift_jis" | "utf-16le";

/** Encodes the page. Node decodes all of these charsets, but encodes only some. */
export function encodePage(text: string, charset: Charset): Buffer {
  switch (charset) {
    case "utf-8":
      return Buffer.from(text, "utf8");
    case "utf-16le":
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    case "windows-1252":
      return encodeBy(text, windowsTable);
    case "shift_jis":
      return encodeBy(text, (shiftTable ??= tableOf("shift_jis", [...oneByte(), ...twoBytes()])));
  }
}

type Table = ReadonlyMap<string, readonly number[]>;
/** Spelled out: the decoder of Node 20 takes these bytes for control characters. */
const windowsTable: Table = new Map([
  ...oneByte().map(([byte]) => [String.fromCharCode(byte!), [byte!]] as const),
  ...Array.from(
    "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ",
    (sign, at) => [sign, [0x80 + at]] as const,
  ).filter(([sign]) => sign !== " "),
]);
let shiftTable: Table | undefined;

function encodeBy(text: string, table: Table): Buffer {
  return Buffer.from(
    Array.from(text).flatMap(
      (sign) => table.get(sign) ?? [...Buffer.from(`&#${sign.codePointAt(0)};`)],
    ),
  );
}

/** The reverse of the decoding table: every sequence of bytes, decoded. */
function tableOf(charset: string, sequences: readonly (readonly number[])[]): Table {
  const decoder = new TextDecoder(charset);
  const table = new Map<string, readonly number[]>();
  for (const bytes of sequences) {
    const sign = decoder.decode(Uint8Array.from(bytes));
    if (Array.from(sign).length === 1 && sign !== "\ufffd" && !table.has(sign))
      table.set(sign, bytes);
  }
  return table;
}

function oneByte(): readonly (readonly number[])[] {
  return Array.from({ length: 256 }, (_, byte) => [byte]);
}

function twoBytes(): readonly (readonly number[])[] {
  const leads = [...range(0x81, 0x9f), ...range(0xe0, 0xef)];
  const trails = [...range(0x40, 0x7e), ...range(0x80, 0xfc)];
  return leads.flatMap((lead) => trails.map((trail) => [lead, trail]));
}

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
