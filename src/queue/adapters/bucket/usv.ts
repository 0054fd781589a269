/**
 * Unit-separated values: units end with US, records with RS, and ESC takes the next character as
 * it is. So any text can be a unit, and a file without ESC can be read with `tr` and `cut`.
 * https://github.com/SixArm/usv
 */
const unitEnd = "\x1f";
const recordEnd = "\x1e";
const escape = "\x1b";

// eslint-disable-next-line no-control-regex
const special = /[\x1b\x1e\x1f]/g;

/** Ends with a line break after each record, which readers skip, for those who open it in an editor. */
export const writeRecord = (units: readonly string[]): string =>
  units.map((unit) => unit.replace(special, `${escape}$&`) + unitEnd).join("") + `${recordEnd}\n`;

/** Throws a SyntaxError where the text ends inside a record. */
export function readRecords(text: string): readonly (readonly string[])[] {
  return text.includes(escape) ? readEscaped(text) : readPlain(text);
}

function readPlain(text: string): readonly (readonly string[])[] {
  const records = text.split(recordEnd);
  if (records.pop()!.trim() !== "") throw new SyntaxError("the last record has no end");
  return records.map((record, index) => {
    const units = (index === 0 ? record : record.replace(/^\n/, "")).split(unitEnd);
    if (units.pop() !== "") throw new SyntaxError("the last unit of a record has no end");
    return units;
  });
}

function readEscaped(text: string): readonly (readonly string[])[] {
  const records: (readonly string[])[] = [];
  let units: string[] = [];
  let unit = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === escape) unit += text[++at] ?? "";
    else if (character === unitEnd) {
      units.push(unit);
      unit = "";
    } else if (character === recordEnd) {
      if (unit !== "") throw new SyntaxError("the last unit of a record has no end");
      records.push(units);
      units = [];
      if (text[at + 1] === "\n") at += 1;
    } else unit += character;
  }
  if (unit !== "" || units.length > 0) throw new SyntaxError("the last record has no end");
  return records;
}
