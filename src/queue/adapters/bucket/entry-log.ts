import { gzipSync } from "node:zlib";
import { gunzipBounded } from "../../../base/gunzip-bounded.ts";
import type { KeptKey, LogEntry } from "../../log-entry.ts";
import type { TerminalState } from "../../task.ts";
import { corruptLog, readTable, writeTable, type Table } from "./usv-table.ts";

/** The most of a file of entries: 20,000 with keys and reasons of usual length have some megabytes. */
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

/** Purged tasks, gzipped. */
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
  readTable(unpack(entryTable, body, key), key, entryTable, ({ text, whole }): LogEntry => ({
    id: whole("id"),
    kind: text("kind"),
    job: text("job"),
    gate: text("gate"),
    key: text("key"),
    state: text("state") as TerminalState,
    createdAtMs: whole("createdAtMs"),
    finishedAtMs: whole("finishedAtMs"),
    used: whole("used"),
    attemptsMax: whole("attemptsMax"),
    attempts: JSON.parse(text("attempts")) as LogEntry["attempts"],
  }));

/** Keys of such tasks that are still reserved, gzipped. */
export const writeKeptKeys = (keys: readonly KeptKey[]): Uint8Array =>
  pack(keyTable, keys.map(keyUnits));

export const readKeptKeys = (body: Uint8Array, key: string): readonly KeptKey[] =>
  readTable(unpack(keyTable, body, key), key, keyTable, ({ text, whole }): KeptKey => ({
    id: whole("id"),
    kind: text("kind"),
    job: text("job"),
    gate: text("gate"),
    key: text("key"),
    state: text("state") as TerminalState,
    finishedAtMs: whole("finishedAtMs"),
  }));

const pack = <Name extends string>(table: Table<Name>, rows: readonly (readonly string[])[]) =>
  gzipSync(writeTable(table, rows));

function unpack({ title }: Table<string>, body: Uint8Array, key: string): string {
  try {
    return gunzipBounded(body, { bytesMax: textBytesMax, start: title }).toString();
  } catch (cause) {
    throw corruptLog(key, cause);
  }
}
