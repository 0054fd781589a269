import { AppError } from "../../../../base/app-error.ts";
import { formats, isReadable } from "../../../../base/text/formats.ts";
import { eachOwnRecord, encodeRecord } from "../../../../usv/index.ts";

/**
 * A table in USV: a record with its title and format version, a record with the column names, then
 * one record per row. Values are read by column name, because a later version may add columns.
 */
export interface Table<Name extends string> {
  readonly title: string;
  readonly names: readonly Name[];
}

export interface TableRow<Name extends string> {
  readonly text: (name: Name) => string;
  readonly whole: (name: Name) => number;
}

export const writeTable = <Name extends string>(
  { title, names }: Table<Name>,
  rows: readonly (readonly string[])[],
): string =>
  [
    encodeRecord([title, String(formats.queueLog.newest)]),
    encodeRecord(names),
    ...rows.map((row) => encodeRecord(row)),
  ].join("");

/** Throws `corrupt` if the text is not this table, and `invalid` if a newer version wrote it. */
export function readTable<Name extends string, T>(
  text: string,
  key: string,
  { title, names }: Table<Name>,
  toValue: (row: TableRow<Name>) => T,
): readonly T[] {
  const records: (readonly string[])[] = [];
  const wholeLength = eachOwnRecord(text, (units) => records.push(units));
  if (wholeLength < text.length) throw corruptLog(key); // the file is truncated
  const [head, units, ...rows] = records;
  if (head?.[0] !== title) throw corruptLog(key);
  if (!isReadable("queueLog", { format: Number(head[1]) }, key)) throw corruptLog(key);
  const places = new Map(names.map((name) => [name, units?.indexOf(name) ?? -1]));
  if ([...places.values()].includes(-1)) throw corruptLog(key);
  try {
    return rows.map((row) => toValue(rowOf(row, places)));
  } catch (cause) {
    throw corruptLog(key, cause);
  }
}

function rowOf<Name extends string>(
  row: readonly string[],
  places: ReadonlyMap<Name, number>,
): TableRow<Name> {
  const text = (name: Name): string => {
    const value = row[places.get(name)!];
    if (value === undefined) throw new TypeError(`a row has no ${name}`);
    return value;
  };
  return {
    text,
    whole(name) {
      const value = Number(text(name));
      if (!Number.isSafeInteger(value)) throw new TypeError(`${name} is not a whole number`);
      return value;
    },
  };
}

export const corruptLog = (key: string, cause?: unknown) =>
  new AppError(
    "corrupt",
    "queue_log_corrupt",
    `${key} is not a log of finished tasks: it was damaged, or something else writes to this ` +
      `bucket. Put back an older version of the object, if the store keeps them`,
    { cause },
  );
