import { AppError } from "../../../base/app-error.ts";
import { closable } from "../../../base/closable.ts";
import { sleep, type Clock } from "../../../base/clock.ts";
import type { Bucket } from "../../../bucket/index.ts";
import { checkCommit, type Commit } from "../../changes.ts";
import type { Datagram } from "../../datagram/datagram.ts";
import { joinCommits } from "../../exchange/open-commits.ts";
import type { Ledger, Written } from "../../ledger.ts";
import type { Position } from "../../position.ts";
import type { LedgerSync } from "../../tiers/sync.ts";
import type { ConflictView, TargetView } from "../../view.ts";
import { answerAsk, type Ask } from "./asks.ts";
import { isDoorShut, type DoorGuest, type LookNow } from "./door-guest.ts";
import { limitsOf } from "./lookout.ts";
import { createSharedExchange } from "./shared-exchange.ts";
import { createTurns } from "./turns.ts";

/** This process holds the ledger, and lets others in. */
export interface Holder {
  readonly kind: "holder";
  readonly ledger: Ledger;
  /** Answers what others have asked for, lets go of the ledger, sends them away. */
  readonly leave: () => Promise<void>;
}

/** Another process holds it. */
export interface Guest {
  readonly kind: "guest";
  readonly guest: DoorGuest;
}

export interface SharedLedgerOptions {
  readonly clock: Clock;
  /** Becomes one or the other; rejects with `ledger_in_use` where neither can be. */
  readonly stand: (options: { readonly onYield: () => void }) => Promise<Holder | Guest>;
}

/**
 * The ledger of a folder that several processes write to. One of them holds it, the others ask that
 * one, and each becomes the holder by itself when there is none. Always:
 * - a write that resolved is durable, whoever did it;
 * - what was asked of a holder that is gone is asked of the next one, in the order of the asking;
 *   what it had written already is not written again (`left-to-write.ts`);
 * - of two writes to one target the second is sent when the first was answered, so that at most one
 *   of them can be in doubt;
 * - what needs the ledger itself, to bring it together with a bucket, asks the holder to let go.
 */
export async function openSharedLedger(options: SharedLedgerOptions): Promise<Ledger> {
  const { clock } = options;
  let role: Holder | Guest | undefined;
  let standing: Promise<Holder | Guest> | undefined;
  let leaving: Promise<void> | undefined;
  let isClosed = false;
  let last: LookNow | undefined;
  /** What is under way; of it what this process does as the holder; of that what takes long. */
  const asks = new Set<Promise<unknown>>();
  const inHand = new Set<Promise<unknown>>();
  const syncs = new Set<Promise<unknown>>();
  const turns = createTurns();

  const stand = async (): Promise<Holder | Guest> => {
    await leaving;
    if (role) return role;
    if (isClosed) throw closed();
    standing ??= options
      .stand({ onYield: () => void letGo() })
      .then((found) => {
        role = found;
        if (found.kind === "guest") void found.guest.gone.then(() => step(found));
        if (exchange.isFollowed()) followAt(found);
        return found;
      })
      .finally(() => (standing = undefined));
    return standing;
  };
  const step = (from: Holder | Guest) => {
    if (role !== from) return;
    last = lookOf(from);
    role = undefined;
    if (exchange.isFollowed()) void keepFollowing();
  };
  /** Those followed already: one is told of each write once. */
  const followed = new WeakSet<Holder | Guest>();
  const followAt = (at: Holder | Guest) => {
    if (followed.has(at)) return;
    followed.add(at);
    if (at.kind === "guest") at.guest.follow((range) => exchange.tell(range));
    else at.ledger.exchange.follow((range) => exchange.tell(range));
  };
  /** Who follows needs someone to tell, also where it asks for nothing itself. */
  const keepFollowing = async () => {
    while (!isClosed && exchange.isFollowed()) {
      try {
        return followAt(await stand());
      } catch {
        await sleep(clock, followAgainMs); // what is written meanwhile is in the vector
      }
    }
  };
  /** Another process needs the ledger: as soon as nothing here must not be interrupted. */
  const letGo = async () => {
    const mine = role;
    while (syncs.size > 0) await Promise.allSettled(syncs);
    if (mine?.kind !== "holder" || role !== mine || leaving) return;
    leaving = (async () => {
      while (inHand.size > 0) await Promise.allSettled(inHand);
      step(mine);
      await mine.leave();
      await sleep(clock, yieldMs); // or this process would be the first to take it again
    })().finally(() => (leaving = undefined));
  };

  const askNow = async (wanted: Ask): Promise<unknown> => {
    let after: string | undefined;
    for (;;) {
      const at = await stand();
      if (at !== role) continue; // it was let go of in between
      if (at.kind === "holder") {
        return tracked([inHand], () => answerAsk(at.ledger, { ...wanted, after }));
      }
      try {
        // Exactly what was there before it is sent: what the journal has beyond that may be ours.
        const mark = wanted.op === "write" ? (after ?? (await at.guest.mark())) : "";
        const sent = at.guest.ask({ ...wanted, after });
        after ??= mark;
        return await sent;
      } catch (error) {
        if (!isDoorShut(error)) throw error;
        step(at);
      }
    }
  };
  const ask = (wanted: Ask): Promise<unknown> => tracked([asks], () => askNow(wanted));
  const write = async (commit: Commit): Promise<Written> => {
    const wanted = { op: "write", commit } as Ask;
    if (role?.kind === "holder" && !leaving) return (await ask(wanted)) as Written;
    // Here, not by the holder: what JSON cannot say would reach it as something else.
    const targets = checkCommit(commit).map(({ target }) => target);
    return turns.take(targets, async () => (await ask(wanted)) as Written);
  };
  const lead = async (): Promise<Holder> => {
    const endMs = clock.monotonicMs() + leadMsMax;
    for (;;) {
      const at = await stand();
      if (at.kind === "holder") return at;
      if (clock.monotonicMs() > endMs) throw heldOn();
      await at.guest.ask({ op: "yield" }).catch(orShut);
      // A holder in the middle of a sync ends it first; meanwhile it goes on to answer.
      const waited = new AbortController();
      const patience = sleep(clock, leadRepeatMs, waited.signal).catch(() => {});
      await Promise.race([at.guest.gone, patience]);
      waited.abort();
    }
  };
  const look = (): LookNow => (role ? lookOf(role) : last!);
  const exchange = createSharedExchange({
    ask,
    look,
    held: () => (role?.kind === "holder" ? role.ledger.exchange : undefined),
    onFollow: () => void keepFollowing(),
  });
  await stand();

  return {
    node: () => (role?.kind === "holder" ? role.ledger.node() : look().status.node),
    write,
    read: async (target) => (await ask({ op: "read", target })) as TargetView,
    readAll: async (targets) =>
      (await ask({ op: "readAll", targets: [...targets] })) as readonly TargetView[],
    status: () => (role?.kind === "holder" ? role.ledger.status() : look().status),
    log() {
      if (role?.kind === "holder") return role.ledger.log();
      throw new AppError(
        "unavailable",
        "ledger_held_elsewhere",
        "another process holds this ledger, and its log is too long to ask for: open it to read only",
      );
    },
    writtenOf: async (targets) =>
      (await ask({ op: "writtenOf", targets: [...targets] })) as readonly Datagram[],
    async changedSince(position) {
      // Whole, also from one's own: the ledger may be let go of before the last batch was asked for.
      const told = (await ask({ op: "changedSince", position } as Ask)) as ChangesTold;
      return { ...told, steps: told.batches.length, batches: each(told.batches) };
    },
    vector: () => (role?.kind === "holder" ? role.ledger.vector() : look().vector),
    digest: async () => (await ask({ op: "digest" })) as string,
    conflicts: async () => (await ask({ op: "conflicts" })) as readonly ConflictView[],
    restore: async (conflict) => (await ask({ ...conflict, op: "restore" })) as Written,
    quarantine: () => (role?.kind === "holder" ? role.ledger.quarantine() : look().quarantine),
    restamp: async (dot) => (await ask({ op: "restamp", dot })) as Written,
    forget: async (request) => (await ask({ ...request, op: "forget" })) as number,
    unforget: async (request) => (await ask({ ...request, op: "unforget" })) as Written,
    isForgotten: async (key) => (await ask({ op: "isForgotten", key })) as boolean,
    unscrubbed: async () => (await ask({ op: "unscrubbed" })) as number,
    withBucket(bucket) {
      const led = <T>(work: (sync: LedgerSync) => Promise<T>) =>
        tracked([asks], async () => {
          for (;;) {
            const at = await lead();
            if (at !== role) continue; // it was let go of in between
            return tracked([inHand, syncs], () => work(syncOf(at.ledger, bucket)));
          }
        });
      return {
        sync: (adopt) => led((sync) => sync.sync(adopt)),
        preview: () => led((sync) => sync.preview()),
        push: () => led((sync) => sync.push()),
        beat: (said) => led((sync) => sync.beat(said)),
        verify: (how) => led((sync) => sync.verify(how)),
      };
    },
    exchange: joinCommits(exchange),
    ...closable(async () => {
      while (asks.size > 0) await Promise.allSettled(asks);
      isClosed = true;
      await leaving;
      const mine = role;
      if (!mine) return;
      step(mine);
      if (mine.kind === "guest") mine.guest.close();
      else await mine.leave();
    }),
  };
}

/** As it comes through the door. */
interface ChangesTold {
  readonly position: Position;
  readonly batches: readonly (readonly string[])[];
}

async function* each<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

async function tracked<T>(sets: readonly Set<Promise<unknown>>[], work: () => Promise<T>) {
  const mine = work();
  for (const set of sets) set.add(mine);
  try {
    return await mine;
  } finally {
    for (const set of sets) set.delete(mine);
  }
}

const closed = () => new AppError("internal", "ledger_closed", "the ledger was closed already");

/** After it let go, how long a process leaves the ledger to others. */
const yieldMs = 100;
const leadMsMax = 60_000;
const leadRepeatMs = 2_000;
const followAgainMs = 1_000;

const syncsByLedger = new WeakMap<Ledger, Map<Bucket, LedgerSync>>();

/** One for each bucket. */
function syncOf(ledger: Ledger, bucket: Bucket): LedgerSync {
  const known = syncsByLedger.get(ledger) ?? new Map<Bucket, LedgerSync>();
  syncsByLedger.set(ledger, known);
  const sync = known.get(bucket) ?? ledger.withBucket(bucket);
  known.set(bucket, sync);
  return sync;
}

const lookOf = (role: Holder | Guest): LookNow =>
  role.kind === "guest"
    ? role.guest.look()
    : {
        status: role.ledger.status(),
        vector: role.ledger.vector(),
        limits: new Map(limitsOf(role.ledger)),
        quarantine: role.ledger.quarantine(),
      };

function orShut(error: unknown): void {
  if (!isDoorShut(error)) throw error;
}

const heldOn = () =>
  new AppError(
    "unavailable",
    "ledger_in_use",
    "another forager process is busy with this ledger and its bucket: try again when it is done",
  );
