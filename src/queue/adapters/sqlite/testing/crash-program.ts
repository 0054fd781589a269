/**
 * Adds, claims and finishes until it is killed. After each answer it writes to the log what was
 * acknowledged, in one write that kill -9 cannot take back. Arguments: file, log, name.
 */
import { openSync, writeSync } from "node:fs";
import { systemClock } from "../../../../base/clock.ts";
import { createSeededRandom, systemRandom } from "../../../../base/random.ts";
import { createQueue } from "../../../create-queue.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";

/** Answers of the queue. */
export type Acknowledged =
  | { readonly added: readonly string[] }
  | { readonly claimed: readonly (readonly [id: number, token: number])[] }
  | { readonly finished: readonly (readonly [id: number, state: "done" | "failed"])[] };

const [file = "", logFile = "", name = ""] = process.argv.slice(2);
const log = openSync(logFile, "a");
const say = (what: Acknowledged) => void writeSync(log, `${JSON.stringify(what)}\n`);

process.on("disconnect", () => process.exit(1)); // end with the parent
const queue = createQueue({
  store: openSqliteQueueStore({ file, durability: "normal" }),
  clock: systemClock,
  random: systemRandom,
});
const random = createSeededRandom(process.pid);

async function addSome(turn: number): Promise<void> {
  const keys = Array.from({ length: 5 }, (_, index) => `${name}-${turn}-${index}`);
  const gate = `g${random.below(3)}`;
  const tasks = keys.map((key) => ({ kind: "work", key, gate, payload: "x".repeat(200) }));
  await queue.add(tasks);
  say({ added: keys });
}

async function workSome(): Promise<void> {
  const request = { worker: name, kinds: ["work"], limit: 4, burst: 4, leaseMs: 60_000 };
  const { leases } = await queue.claim(request);
  say({ claimed: leases.map(({ id, token }) => [id, token] as const) });
  if (leases.length === 0 || random.below(4) === 0) return;
  const ends = leases.map(({ id, token }) => {
    const state = random.below(2) === 0 ? ("done" as const) : ("failed" as const);
    const outcome =
      state === "done" ? { kind: "done" as const } : { kind: "fail" as const, reason: "f" };
    return { state, finish: { id, token, outcome } };
  });
  const answers = await queue.finish(ends.map(({ finish }) => finish));
  const held = ends.filter((_, index) => answers[index]?.status === "done");
  say({ finished: held.map(({ finish, state }) => [finish.id, state] as const) });
}

await queue.setGate("g0", { limit: 100 });
for (let turn = 0; ; turn++) await Promise.all([addSome(turn), workSome()]);
