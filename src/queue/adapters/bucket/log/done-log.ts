import type { Task } from "../../../task.ts";
import { readTable, writeTable } from "../head/usv-table.ts";

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
/** Each row contains all fields of a finished task, so that a retry can restore the task. */
const table = { title: "forager done log", names };

export const writeDoneLog = (tasks: readonly Task[]): Uint8Array =>
  Buffer.from(
    writeTable(
      table,
      tasks.map((task) => names.map((name) => columns[name](task))),
    ),
  );

/** Throws `corrupt` if the body is not a log, and `invalid` if a newer version wrote it. */
export const readDoneLog = (body: Uint8Array, key: string): readonly Task[] =>
  readTable(Buffer.from(body).toString(), key, table, ({ text, whole }): Task => ({
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
    // The result is JSON text, which is never empty, so an empty text stands for null.
    result: text("result") === "" ? null : text("result"),
    finishedAtMs: whole("finishedAtMs"),
  }));
