import { gzipSync } from "node:zlib";
import { gunzipBounded } from "../../../../base/files/gunzip-bounded.ts";
import type { KeptKey, LogEntry } from "../../../read/log-entry.ts";
import type { TerminalState } from "../../../task.ts";
import { corruptLog, readTable, writeTable, type Table, type TableRow } from "../head/usv-table.ts";

/** Maximum size of an unpacked file. 20,000 entries of usual length take a few megabytes. */
const textBytesMax = 256 * 2 ** 20;

const keyNames = ["id", "kind", "job", "gate", "key", "state", "finishedAtMs"] as const;
const keyTable = { title: "forager kept keys", names: keyNames };
const entryNames = [...keyNames, "createdAtMs", "used", "attemptsMax", "attempts"] as const;
const entryTable = { title: "forager task log", names: entryNames };

const keyUnits = ({ id, kind, job, gate, key, state, finishedAtMs }: KeptKey) => [
  String(id),
  kind,
  job,
  gate,
  key,
  state,
  String(finishedAtMs),
];

/** Entries of the log, gzipped. */
export const writeLogEntries = (entries: readonly LogEntry[]): Uint8Array =>
  pack(
    entryTable,
    entries.map((entry) => [
      ...keyUnits(entry),
      String(entry.createdAtMs),
      String(entry.used),
      String(entry.attemptsMax),
      JSON.stringify(entry.attempts),
    ]),
  );

export const readLogEntries = (body: Uint8Array, key: string): readonly LogEntry[] =>
  readTable(unpack(entryTable, body, key), key, entryTable, (row): LogEntry => ({
    ...readKey(row),
    createdAtMs: row.whole("createdAtMs"),
    used: row.whole("used"),
    attemptsMax: row.whole("attemptsMax"),
    attempts: JSON.parse(row.text("attempts")) as LogEntry["attempts"],
  }));

/** Reserved keys of tasks in the log, gzipped. */
export const writeKeptKeys = (keys: readonly KeptKey[]): Uint8Array =>
  pack(keyTable, keys.map(keyUnits));

export const readKeptKeys = (body: Uint8Array, key: string): readonly KeptKey[] =>
  readTable(unpack(keyTable, body, key), key, keyTable, readKey);

const readKey = ({ text, whole }: TableRow<(typeof keyNames)[number]>): KeptKey => ({
  id: whole("id"),
  kind: text("kind"),
  job: text("job"),
  gate: text("gate"),
  key: text("key"),
  state: text("state") as TerminalState,
  finishedAtMs: whole("finishedAtMs"),
});

const pack = <Name extends string>(table: Table<Name>, rows: readonly (readonly string[])[]) =>
  gzipSync(writeTable(table, rows));

function unpack({ title }: Table<string>, body: Uint8Array, key: string): string {
  try {
    return gunzipBounded(body, { bytesMax: textBytesMax, start: title }).toString();
  } catch (cause) {
    throw corruptLog(key, cause);
  }
}
