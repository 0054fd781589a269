import { AppError } from "../../src/base/app-error.ts";
import { chargeJobs } from "../../src/queue/adapters/bucket/storage/spending.ts";
import { rowOf } from "../../src/queue/adapters/bucket/head/task-row.ts";
import { apply } from "../../src/queue/model/apply.ts";
import type { ModelNow } from "../../src/queue/model/now.ts";
import type { Shard } from "../../src/queue/model/shard.ts";
import type {
  Claimed,
  Finish,
  Held,
  LeaseRef,
  Operation,
  Outcomes,
  Task,
} from "../../src/queue/index.ts";
import { createHeadReader, place, type LandedHead } from "./queue-heads.ts";
import { createControls } from "./queue-controls.ts";
import { createFacts } from "./queue-facts.ts";
import { createStepChecker } from "./queue-steps.ts";
import type { Fail } from "./verdict.ts";
import type { World } from "./world.ts";

/**
 * What landed in the store, commit by commit, and what clients were told. A history is
 * linearizable when the commits, one after the other through the pure model, give every head that
 * was seen, every operation is in at most one of them, and each answer is the one it got there.
 */
export interface QueueHistory {
  /** A node is about to write a head. */
  sending(sent: Sending): void;
  call(operations: readonly Operation[]): { answered(answers: Outcomes): void };
  heads(): readonly LandedHead[];
  /** When the claim of that lease landed, in true time. */
  readonly leasedAtMs: (lease: LeaseRef) => number;
}

export interface Sending {
  readonly key: string;
  readonly session: string;
  readonly number: number;
  readonly version: number;
  readonly operations: readonly Operation[];
  readonly now: ModelNow;
  readonly requests: number;
}

export interface HistoryOptions {
  readonly world: World;
  readonly shards: number;
  readonly fail: Fail;
}

export function createQueueHistory(options: HistoryOptions): QueueHistory {
  const { world, shards, fail } = options;
  const read = createHeadReader(world, fail);
  const checkSteps = Array.from({ length: shards }, () => createStepChecker(fail));
  const shardOf = new Map(
    Array.from({ length: shards }, (_, shard) => [place.shard(shard), shard]),
  );
  const sent = new Map<string, Sending>();
  const heads: (LandedHead | undefined)[] = Array.from({ length: shards }, () => undefined);
  /** What each operation was answered in the commit that landed with it. */
  const landed = new Map<Operation, Answer>();

  const repeats = createRepeats();
  const controls = createControls(world);
  const facts = createFacts(world, fail);

  const land = (shard: number, head: LandedHead, before: LandedHead | undefined) => {
    if (!before) return; // made by whoever came first
    const writer = Object.keys(head.commits).find(
      (session) => head.commits[session]!.number !== before.commits[session]?.number,
    );
    const number = writer === undefined ? 0 : head.commits[writer]!.number;
    world.tell(`shard ${shard} version ${head.version} by ${writer} ${number}`);
    if (head.version !== before.version + 1) {
      fail(`Q6: version ${head.version} of shard ${shard} after ${before.version}`);
    }
    const commit = sent.get(
      nameOf({ key: place.shard(shard), session: writer ?? "", number, version: head.version }),
    );
    if (!commit) return fail(`Q6: nobody sent version ${head.version} of shard ${shard}`);
    checkSteps[shard]!({ before, after: head, operations: commit.operations });
    const base = controls.apply(before, head.control, commit.now);
    const replayed = apply(base, commit.operations, commit.now);
    const jobs = chargeJobs(base.jobs, replayed.shard.jobs, commit.requests);
    const difference = differenceOf({ ...replayed.shard, jobs }, head.full);
    if (difference) {
      fail(`Q6: version ${head.version} of shard ${shard} is not its replay: ${difference}`);
    }
    commit.operations.forEach((operation, index) => {
      if (landed.has(operation)) fail(`Q6: ${words(operation)} was applied twice`);
      landed.set(operation, replayed.answers[index]!);
      repeats.note(operation, replayed.answers[index]!);
      facts.noteAnswer(operation, replayed.answers[index]!);
    });
  };

  world.onLanding((key, { body }) => {
    const shard = shardOf.get(key);
    if (shard === undefined) return;
    const head = read(body, shard);
    const before = heads[shard];
    land(shard, head, before);
    heads[shard] = head;
    facts.note(head, before);
  });

  return {
    sending: (one) => void sent.set(nameOf(one), one),
    call: (operations) => ({
      answered(answers) {
        operations.forEach((operation, index) => facts.check(operation, answers[index]!));
        if (shards > 1) return; // a store of several shards splits them, and joins the answers
        operations.forEach((operation, index) => {
          const reported = answers[index]!;
          const answer = landed.get(operation);
          if (
            answer === undefined &&
            !changesNothing(reported) &&
            !repeats.isRepeat(operation, reported)
          ) {
            fail(`Q6: ${words(operation)} was answered ${words(reported)}, and is not there`);
          }
          if (answer === undefined || isSame(answer, reported)) return;
          fail(
            `Q6: ${words(operation)} was answered ${words(reported)}, its commit says ${words(answer)}`,
          );
        });
      },
    }),
    leasedAtMs: (lease) => facts.leasedAtMs(lease),
    heads: () => heads.filter((head) => head !== undefined),
  };
}

type Answer = Outcomes[number];

const nameOf = ({
  key,
  session,
  number,
  version,
}: Pick<Sending, "key" | "session" | "number" | "version">) =>
  `${key} ${session} ${number} ${version}`;

const words = (value: unknown) =>
  value instanceof AppError ? value.code : JSON.stringify(value).slice(0, 300);

const isSame = (a: Answer, b: Answer) =>
  a instanceof AppError ? words(a) === words(b) : JSON.stringify(a) === JSON.stringify(b);

/** What is asked again with the same words gets the same answer, and nothing is written. */
function createRepeats() {
  const leases = new Map<string, Set<number>>();
  const finishes = new Set<string>();
  const finishName = ({ id, token, outcome }: Finish) => JSON.stringify([id, token, outcome]);
  return {
    note(operation: Operation, answer: Answer) {
      if (operation.op === "claim" && "leases" in (answer as Claimed)) {
        const ids = (answer as Claimed).leases.map(({ id }) => id);
        leases.set(operation.requestId, new Set(ids));
      }
      if (operation.op === "finish") {
        for (const one of operation.finishes) finishes.add(finishName(one));
      }
    },
    isRepeat(operation: Operation, answer: Answer): boolean {
      if (operation.op === "claim") {
        const known = leases.get(operation.requestId);
        return (answer as Claimed).leases.every(({ id }) => known?.has(id));
      }
      if (operation.op !== "finish") return false;
      return operation.finishes.every(
        (one, index) =>
          (answer as readonly Held[])[index]!.status === "lost" || finishes.has(finishName(one)),
      );
    },
  };
}

/** What a store may answer from what it has read, without writing. */
function changesNothing(answer: Answer): boolean {
  if (answer instanceof AppError) return true;
  if (typeof answer === "string") return true; // a job as it already is, closed, or absent
  if (Array.isArray(answer)) return answer.every((one) => !isEffect(one));
  if ("leases" in answer) return answer.leases.length === 0;
  if ("requeued" in answer) return answer.requeued + answer.failed + answer.cancelled === 0;
  if ("changed" in answer) return answer.changed === 0;
  return true; // a gate as it already is
}

const isEffect = (one: unknown) =>
  one === "raised" || effectiveStatuses.has((one as { status?: string }).status ?? "");
const effectiveStatuses: ReadonlySet<string> = new Set([
  "added",
  "over_budget",
  "held",
  "done",
  "skipped",
  "retried",
  "failed",
]);

const lineOf = (task: Task | undefined) => (task ? JSON.stringify(rowOf(task)) : "nothing");

/** What differs between a replay and the head that landed with its logs. */
function differenceOf(replayed: Shard, landed: Shard): string | undefined {
  for (const [id, task] of replayed.tasks) {
    const other = landed.tasks.get(id);
    if (other === task) continue; // neither has touched it
    const [expected, found] = [lineOf(task), lineOf(other)];
    if (expected !== found) return `${found} instead of ${expected}`;
  }
  const stranger = [...landed.tasks.keys()].find((id) => !replayed.tasks.has(id));
  if (stranger !== undefined) return `task ${stranger} is from nowhere`;
  const byId = <T extends { readonly id: number }>(rows: Iterable<T>) =>
    [...rows].sort((a, b) => a.id - b.id);
  const past = ({ log, keptKeys }: Shard) =>
    JSON.stringify([byId(log.values()), byId(keptKeys.values())].map((rows) => rows.map(inOrder)));
  if (past(replayed) !== past(landed)) return `${past(landed)} instead of ${past(replayed)}`;
  const rest = ({ gates, jobs, claims, nextId, lastToken, served }: Shard) =>
    JSON.stringify([[...gates], [...jobs], [...claims], nextId, lastToken, served]);
  const [expected, found] = [rest(replayed), rest(landed)];
  return expected === found ? undefined : `${found} instead of ${expected}`;
}

/** The same text for the same values, in whatever order an object was made. */
const inOrder = (row: object) => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
