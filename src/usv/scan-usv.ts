import { isSpacer, markOf, mayMatter } from "./marks.ts";

export type UsvItem =
  | { readonly kind: "record"; readonly units: readonly string[] }
  | { readonly kind: "group" }
  | { readonly kind: "file" };

/**
 * The format of a text:
 * - `usv`: a separator *ends* the text before it, and line ends around units are ignored.
 * - `earlier`: the format of the systems before Forager. US stands *between* units, RS or a line
 *   end ends a record, and nothing is escaped.
 */
export type Dialect = "usv" | "earlier";

export interface UsvScannerOptions {
  readonly dialect?: Dialect;
  /** Called with every complete record; the callee may keep the array. */
  readonly onRecord: (units: string[]) => void;
  readonly onGroup?: () => void;
  readonly onFile?: () => void;
}

/**
 * Reads text in pieces of any size, in one pass, character by character. An escape turns the next
 * character into content, even if it is a mark, so the text cannot simply be split at its marks.
 */
export interface UsvScanner {
  push(text: string): void;
  /** Ends the last record if it was not ended. Drops an escape at the end of the text. */
  end(): void;
  /** True after EOT was read or `end` was called. Further text is ignored. */
  isEnded(): boolean;
}

export function createUsvScanner(options: UsvScannerOptions): UsvScanner {
  const { onRecord, onGroup = () => {}, onFile = () => {}, dialect = "usv" } = options;
  const isEarlier = dialect === "earlier";
  let units: string[] = [];
  /** The text of the open unit that was read in earlier pieces, or before an escape. */
  let text = "";
  /** The length of `text` without trailing line ends. An escaped line end is content. */
  let kept = 0;
  let isEscaped = false;
  let isEnded = false;

  const take = (piece: string, hasEscaped = false) => {
    if (piece === "") return;
    let from = 0;
    if (text === "" && !hasEscaped) {
      while (from < piece.length && isSpacer(piece.charCodeAt(from))) from++;
    }
    text += from === 0 ? piece : piece.slice(from);
    if (hasEscaped) kept = text.length;
    else {
      let to = piece.length;
      while (to > from && isSpacer(piece.charCodeAt(to - 1))) to--;
      if (to > from) kept = text.length - (piece.length - to);
    }
  };
  const endUnit = () => {
    units.push(kept === text.length ? text : text.slice(0, kept));
    text = "";
    kept = 0;
  };
  const endRecord = () => {
    if (kept > 0 || (isEarlier && units.length > 0)) endUnit();
    text = "";
    kept = 0;
    const record = units;
    units = [];
    onRecord(record);
  };
  const endOpenRecord = () => {
    if (kept > 0 || units.length > 0) endRecord();
  };

  const pushUsv = (piece: string) => {
    const { length } = piece;
    let from = 0;
    for (let at = 0; at < length && !isEnded; at++) {
      const code = piece.charCodeAt(at);
      if (isEscaped) {
        take(piece.slice(at, at + 1), true);
        isEscaped = false;
        from = at + 1;
        continue;
      }
      if (!mayMatter(code)) continue;
      const mark = markOf(code);
      if (mark === undefined) continue;
      if (from < at) take(piece.slice(from, at));
      from = at + 1;
      switch (mark) {
        case "unit":
          endUnit();
          break;
        case "record":
          endRecord();
          break;
        case "group":
          endOpenRecord();
          onGroup();
          break;
        case "file":
          endOpenRecord();
          onFile();
          break;
        case "escape":
          isEscaped = true;
          break;
        case "end":
          endOpenRecord();
          isEnded = true;
          break;
      }
    }
    if (!isEnded && from < length) take(piece.slice(from));
  };

  /** A record ends with RS, with a line end, or with RS followed by a line end. */
  const pushEarlier = (piece: string) => {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (code !== 0x1f && code !== 0x1e && !isSpacer(code)) continue;
      text += piece.slice(from, at);
      kept = text.length;
      from = at + 1;
      if (code === 0x1f) endUnit();
      else if (text !== "" || units.length > 0) endRecord();
    }
    text += piece.slice(from);
    kept = text.length;
  };

  return {
    push(piece) {
      if (isEnded) return;
      if (isEarlier) pushEarlier(piece);
      else pushUsv(piece);
    },
    end() {
      if (!isEnded) endOpenRecord();
      isEnded = true;
    },
    isEnded: () => isEnded,
  };
}

/** Scans a complete text in memory. */
export function scanUsv(text: string, options: { readonly dialect?: Dialect } = {}): UsvItem[] {
  const items: UsvItem[] = [];
  const scanner = createUsvScanner({
    ...options,
    onRecord: (units) => items.push({ kind: "record", units }),
    onGroup: () => items.push({ kind: "group" }),
    onFile: () => items.push({ kind: "file" }),
  });
  scanner.push(text);
  scanner.end();
  return items;
}
