import type { Change, FieldView, TargetView } from "../../ledger/index.ts";
import { readFieldValues } from "../change/edit-fields.ts";
import { aliasesField, extraPrefix, numberFields, textFields } from "../fields/fields.ts";
import { layoutOfTarget, type RecordLayout } from "../files/layout.ts";
import { keyMeant } from "../ingest/spellings.ts";
import type { RecordFinding } from "./finding.ts";

type ValueFinding = Omit<RecordFinding, "path" | "target">;

/** Finds errors in the stored values of a record. Reads nothing else. */
export function checkValues(view: TargetView, nowMs: number): readonly ValueFinding[] {
  const layout = layoutOfTarget(view.target)!;
  return view.fields.flatMap((one) => [
    ...checkName(one, view, { layout, nowMs }),
    ...checkType(one, view.target),
    ...checkText(one, view.target),
  ]);
}

const texts: ReadonlySet<string> = new Set(["name", "description", "slug", "role", ...textFields]);
const numbers: ReadonlySet<string> = new Set(numberFields);

function checkType({ field, value }: FieldView, target: string): readonly ValueFinding[] {
  const shown = JSON.stringify(value).slice(0, 60);
  if (texts.has(field) && typeof value !== "string") {
    const text = typeof value === "number" || typeof value === "boolean" ? String(value) : "";
    const reason = `${field} must be text, not ${shown}`;
    const corrected = { kind: "write", changes: [{ target, field, value: text }] } as const;
    return [{ kind: "schema", field, reason, repair: text === "" ? moved(value) : corrected }];
  }
  if (numbers.has(field) && typeof value !== "number") {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
    const reason = `${field} must be a number, not ${shown}`;
    const corrected = { kind: "write", changes: [{ target, field, value: number }] } as const;
    return [
      { kind: "schema", field, reason, repair: Number.isFinite(number) ? corrected : moved(value) },
    ];
  }
  return [];
}

const moved = (value: unknown) => ({ kind: "move value", value }) as const;

interface NameOptions {
  readonly layout: RecordLayout;
  readonly nowMs: number;
}

/**
 * An earlier version stored `email: x@y.z`, written by hand into a file, as the custom field
 * `x/email`, which no list or export shows. Its value belongs to the field that the key means.
 */
function checkName(
  { field, value }: FieldView,
  view: TargetView,
  { layout, nowMs }: NameOptions,
): readonly ValueFinding[] {
  if (!field.startsWith(extraPrefix) || field === aliasesField) return [];
  const meant = keyMeant(layout.spellings, field.slice(extraPrefix.length));
  if (meant === undefined) return [];
  const reason = `${field} is a private field, but its name means ${meant}`;
  const changes = changesTo(meant, value, { view, layout, nowMs });
  if (!changes) return [{ kind: "schema", field, reason, repair: moved(value) }];
  const all = [...changes, { target: view.target, field, unset: true as const }];
  return [{ kind: "schema", field, reason, repair: { kind: "write", changes: all } }];
}

/** Undefined if the value cannot be read, or if the field already has another one. */
function changesTo(
  meant: string,
  value: unknown,
  { view, layout, nowMs }: NameOptions & { readonly view: TargetView },
): readonly Change[] | undefined {
  const known = new Map(view.fields.map((one) => [one.field, one.value]));
  const country = known.get("country");
  const all = (Array.isArray(value) ? value : [value]) as readonly unknown[];
  let read: Readonly<Record<string, unknown>>;
  try {
    const values = all.map((one) => [meant, typeof one === "number" ? String(one) : one] as const);
    read = readFieldValues(values, {
      kind: layout.kind,
      isNew: false,
      country: typeof country === "string" ? country : undefined,
      nowMs,
    });
  } catch {
    return undefined; // `invalid`: it is not a value of that field
  }
  const entries = Object.entries(read);
  if (entries.length === 0) return undefined;
  const isElement = (field: string) => field.includes("/");
  const isTaken = entries.some(
    ([field, one]) => !isElement(field) && known.has(field) && known.get(field) !== one,
  );
  if (isTaken) return undefined;
  return entries.flatMap(([field, one]) =>
    known.has(field) ? [] : [{ target: view.target, field, value: one }],
  );
}

/** Fields with text for people. The others contain addresses and ids. */
const readable = /^(?:name|description|address|street|city|state|hours|role)$|^(?:tag|category|service|product|keyword)\//; // prettier-ignore

function checkText({ field, value }: FieldView, target: string): readonly ValueFinding[] {
  if (!readable.test(field)) return [];
  const slash = field.indexOf("/");
  const text = slash < 0 ? value : field.slice(slash + 1);
  if (typeof text !== "string") return [];
  const decoded = decodedTwice(text);
  if (decoded !== undefined) {
    const reason = `${field} was decoded with the wrong character set: "${decoded.slice(0, 60)}" is meant`;
    const element = `${field.slice(0, slash + 1)}${decoded}`;
    const changes: readonly Change[] =
      slash < 0
        ? [{ target, field, value: decoded }]
        : [
            { target, field: element, value },
            { target, field, unset: true },
          ];
    return [{ kind: "encoding", field, reason, repair: { kind: "write", changes } }];
  }
  if (text.includes("\ufffd") || /\p{Surrogate}/u.test(text)) {
    const reason = `${field} has lost characters (\ufffd): set it again`;
    return [{ kind: "encoding", field, reason }];
  }
  return [];
}

/** Restores UTF-8 text that was decoded as windows-1252; undefined if it was not. */
function decodedTwice(text: string): string | undefined {
  // A lead byte of two to four, then a continuation byte: `Ã¤`, `â€œ`.
  if (!/[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u02dc\u2013-\u2122]/.test(text)) return undefined;
  const bytes: number[] = [];
  for (const char of text) {
    const byte = windows1252.get(char) ?? char.codePointAt(0)!;
    if (byte > 0xff) return undefined;
    bytes.push(byte);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

/** Characters of windows-1252 whose byte differs from their code point. */
const windows1252: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 0x20 }, (_, at) => 0x80 + at).map((byte) => [
    new TextDecoder("windows-1252").decode(Uint8Array.of(byte)),
    byte,
  ]),
);
