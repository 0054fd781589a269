import { AppError } from "../../../base/app-error.ts";
import { eachOwnRecord, encodeRecord } from "../../../usv/index.ts";
import type { Task } from "../../task.ts";

/**
 * A log of finished tasks: USV, first a record with the name and version of the format, then the
 * names of the units, then a record for each task. Values are read by name: a later version may
 * add some.
 */
const formatName = "forager done log";
const format = 1;

const columns: { readonly [Name in keyof Task]: (task: Task) => string } = {
  id: ({ id }) => String(id),
  token: ({ token }) => String(token),
  state: ({ state }) => state,
  finishedAtMs: ({ finishedAtMs }) => String(finishedAtMs),
  kind: ({ kind }) => kind,
  job: ({ job }) => job,
  gate: ({ gate }) => gate,
  key: ({ key }) => key,
  payload: ({ payload }) => payload,
  result: ({ result }) => result ?? "",
  attempts: ({ attempts }) => JSON.stringify(attempts),
  priority: ({ priority }) => String(priority),
  dueAtMs: ({ dueAtMs }) => String(dueAtMs),
  createdAtMs: ({ createdAtMs }) => String(createdAtMs),
  used: ({ used }) => String(used),
  attemptsMax: ({ attemptsMax }) => String(attemptsMax),
  isSuspect: ({ isSuspect }) => String(isSuspect),
  expiresAtMs: ({ expiresAtMs }) => String(expiresAtMs),
};
const names = Object.keys(columns) as (keyof Task)[];

export function writeDoneLog(tasks: readonly Task[]): Uint8Array {
  const records = [
    encodeRecord([formatName, String(format)]),
    encodeRecord(names),
    ...tasks.map((task) => encodeRecord(names.map((name) => columns[name](task)))),
  ];
  return Buffer.from(records.join(""));
}

/** Throws where it is not a log (`corrupt`), or newer (`invalid`). */
export function readDoneLog(body: Uint8Array, key: string): readonly Task[] {
  const text = Buffer.from(body).toString();
  const records: (readonly string[])[] = [];
  const wholeLength = eachOwnRecord(text, (units) => records.push(units));
  if (wholeLength < text.length) throw corruptLog(key); // its end is missing
  const [title, units, ...rows] = records;
  if (title?.[0] !== formatName) throw corruptLog(key);
  if (Number(title[1]) > format) {
    const message = `${key} was written by a newer version: upgrade this node`;
    throw new AppError("invalid", "queue_log_newer", message);
  }
  const places = new Map(names.map((name) => [name, units?.indexOf(name) ?? -1]));
  if ([...places.values()].includes(-1)) throw corruptLog(key);
  try {
    return rows.map((row) => taskOf(row, places));
  } catch (cause) {
    throw corruptLog(key, cause);
  }
}

function taskOf(row: readonly string[], places: ReadonlyMap<keyof Task, number>): Task {
  const text = (name: keyof Task): string => {
    const value = row[places.get(name)!];
    if (value === undefined) throw new TypeError(`a task has no ${name}`);
    return value;
  };
  const whole = (name: keyof Task): number => {
    const value = Number(text(name));
    if (!Number.isSafeInteger(value)) throw new TypeError(`${name} is not a whole number`);
    return value;
  };
  return {
    id: whole("id"),
    kind: text("kind"),
    job: text("job"),
    gate: text("gate"),
    key: text("key"),
    payload: text("payload"),
    priority: whole("priority"),
    dueAtMs: whole("dueAtMs"),
    createdAtMs: whole("createdAtMs"),
    state: text("state") as Task["state"],
    token: whole("token"),
    used: whole("used"),
    attemptsMax: whole("attemptsMax"),
    isSuspect: text("isSuspect") === "true",
    expiresAtMs: whole("expiresAtMs"),
    attempts: JSON.parse(text("attempts")) as Task["attempts"],
    // A result is JSON text, which is never empty.
    result: text("result") === "" ? null : text("result"),
    finishedAtMs: whole("finishedAtMs"),
  };
}

const corruptLog = (key: string, cause?: unknown) =>
  new AppError(
    "corrupt",
    "queue_log_corrupt",
    `${key} is not a log of finished tasks: it was damaged, or something else writes to this ` +
      `bucket. Put back an older version of the object, if the store keeps them`,
    { cause },
  );
