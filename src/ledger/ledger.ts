import { createSerial } from "../base/serial.ts";
import { AppError } from "../base/app-error.ts";
import { closable, type Closable } from "../base/closable.ts";
import { createId } from "../base/ids.ts";
import type { Bucket } from "../bucket/index.ts";
import { checkCommit, planWrites, type Commit } from "./changes.ts";
import { again, type Again, type CoreOptions, type DatagramDraft } from "./core.ts";
import { openCore } from "./open-core.ts";
import type { Datagram, Dot } from "./datagram/datagram.ts";
import { isForgotten, scrub, type TargetState } from "./fold/part-state.ts";
import {
  checkErasures,
  commitsOf,
  eraseDrafts,
  knownFields,
  planErasures,
  type EraseRequest,
  type FieldsWithPrefix,
  type KnownField,
} from "./erase.ts";
import { countInCheckpoint, hasFloors, isLeft, isToScrub, readFloors } from "./floors.ts";
import {
  forgetChanges,
  forgetRegister,
  forgottenBefore,
  saltsOf,
  unforgetChanges,
} from "./forget.ts";
import { findSuppressed } from "./suppress.ts";
import { createGate } from "./read-write-lock.ts";
import { createInFlight, shownTargets } from "./in-flight.ts";
import { createExchange, type Exchange } from "./exchange/exchange.ts";
import { joinCommits } from "./exchange/open-commits.ts";
import { move, settleMove } from "./move.ts";
import { dropOf } from "./replica/quarantine.ts";
import { changedSince, type ChangedTargets, type LedgerPosition } from "./position.ts";
import {
  checkFiles,
  createLogPages,
  logOf,
  outlineOf,
  writtenAfter,
  writtenOf,
  type LogOutline,
  type LogPage,
} from "./log.ts";
import { conflictsOf, readTarget, readTargets } from "./replica/read-target.ts";
import {
  describeMissing,
  giveUp,
  historyMissing,
  marksOf,
  missingHistory,
  saveMarks,
} from "./replica/missing-history.ts";
import { statusOf, type LedgerStatus } from "./status.ts";
import { createSync, type LedgerSync } from "./tiers/sync.ts";
import type { StatePage } from "./state/state-store.ts";
import type { ConflictPage, TargetView } from "./view.ts";

export type LedgerOptions = CoreOptions;

/**
 * The facts that a node knows and adds: about targets, field by field. Everything is on the local
 * disk; a bucket is needed only to share it. Throws AppError: `invalid` for input that cannot be
 * stored, `unavailable` if the disk is full, `corrupt` if files are damaged.
 */
export interface Ledger extends Closable {
  /** The id of this node. It changes if the node is found to be a clone. */
  node(): string;
  /**
   * Writes one commit: all of its changes or none, durable when it resolves. Changes without effect
   * are not written; "not known" never overwrites what is known.
   */
  write(commit: Commit): Promise<Written>;
  /**
   * What is known of a target; without fields if nothing is. All of it is durable, so a caller may
   * show it elsewhere: a crash does not take it back.
   */
  read(target: string): Promise<TargetView>;
  /** The same for many targets, in their order. Use it for thousands. */
  readAll(targets: readonly string[]): Promise<readonly TargetView[]>;
  status(): LedgerStatus;
  /** A page of the datagrams beyond the checkpoint, by node and day. Reads the journals. */
  log(page: LogPage): Promise<readonly Datagram[]>;
  /**
   * All datagrams beyond the checkpoint if they are few; else some of each session, including its
   * first and last.
   */
  outline(): Promise<readonly LogOutline[]>;
  /** What this node wrote after a moment, in order; only from sources with this prefix. */
  writtenAfter(stamp: string, sourcePrefix?: string): Promise<readonly Datagram[]>;
  /** What this node wrote about some targets. Reads its whole journal. */
  writtenOf(targets: readonly string[]): Promise<readonly Datagram[]>;
  /** Exactly what is known: the last number of each session, by `node/session`. */
  vector(): ReadonlyMap<string, number>;
  /**
   * Which targets have changed since a position that this returned earlier; undefined: all targets.
   * A caller saves the new position after it has processed the batches: after a crash before that,
   * it gets the batches again. Throws `ledger_history_missing` as `write` does.
   */
  changedSince(position: LedgerPosition | undefined): Promise<ChangedTargets>;
  /**
   * One digest of everything: the same on all nodes that know the same. Reads checkpoint and
   * journals first, and throws `corrupt` if they are damaged.
   */
  digest(): Promise<string>;
  /** Writes that were overwritten by a writer that had not seen them, of at most `limit` targets. */
  conflicts(page: StatePage): Promise<ConflictPage>;
  /** Writes the value of a losing write again. */
  restore(conflict: {
    readonly target: string;
    readonly dot: Dot;
    readonly source: string;
  }): Promise<Written>;
  /** Datagrams that are ahead of the time, and do not count yet. */
  quarantine(): readonly Datagram[];
  /**
   * Writes the value of a datagram that is ahead again, with a stamp of now, and drops the old one.
   */
  restamp(dot: Dot): Promise<Written>;
  /**
   * Forgets a target: hides it for good, and removes what was written of it from this node's logs.
   * The next checkpoint, and prune after it, do the same for the bucket. Returns how many datagrams
   * were scrubbed here. A repetition also takes what another node wrote before it knew.
   */
  forget(request: { readonly target: string; readonly source: string }): Promise<number>;
  /** Removes from this node's logs what any node has forgotten or erased. Returns how many datagrams. */
  scrub(): Promise<number>;
  /**
   * Takes fields away for good, with all that was ever written to them, here and, with the next
   * checkpoint and prune, in the fleet. What is written to them later counts. Without erasures it only
   * scrubs, for what an earlier call could not. Returns how many datagrams were scrubbed here.
   */
  erase(request: EraseRequest): Promise<number>;
  /** Which fields with these prefixes have a history, also those that have no value any more. */
  knownFields(request: FieldsWithPrefix): Promise<readonly KnownField[]>;
  /** Later writes count again; what was forgotten stays removed. */
  unforget(request: { readonly target: string; readonly source: string }): Promise<Written>;
  /**
   * Which of these keys (`domain:a.b`, `place:osm/1`, `email:x@y.z`, `phone:+49…`) are on the suppression
   * list, or belong to something that was forgotten.
   */
  suppressed(keys: readonly string[]): Promise<readonly string[]>;
  /**
   * How many datagrams in this node's logs and its copy of the checkpoint still contain something
   * forgotten. The copy is replaced with the next checkpoint.
   */
  unscrubbed(): Promise<number>;
  /**
   * Continues without the missing part of this node's own history, which neither bucket nor backup
   * can restore. Datagrams that follow the missing part are written again, with their stamps.
   * Returns how many are missing and how many were written again.
   */
  acceptLoss(): Promise<{ readonly lost: number; readonly moved: number }>;
  /** Synchronises this ledger with a bucket. Use one for each bucket. */
  withBucket(bucket: Bucket): LedgerSync;
  /** Exchanges records with other nodes. */
  readonly exchange: Exchange;
}

export interface Written {
  /** Empty if nothing changed. */
  readonly datagrams: readonly Datagram[];
  /** Fields that were too long and were cut. */
  readonly cut: readonly { readonly field: string; readonly bytes: number }[];
}

export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const core = await openCore(options);
  if (!options.isReader) await settleMove(core);
  for (const { file, bytes } of core.cuts) {
    options.log.warn("an incomplete record was cut off the end of a journal", { file, bytes });
  }
  for (const { file, keptAs } of core.damaged) {
    options.log.error("a journal file is damaged: its readable part is kept", {
      file,
      keptAs,
    });
  }
  const missing = missingHistory(core);
  if (missing) options.log.warn(`nothing can be written now: ${describeMissing(missing)}`);
  else if (!options.isReader) await saveMarks(core);
  /** When the history is complete it stays so until the files are read again. */
  let wholeAt = missing === undefined ? core.loads() : 0;
  const requireHistory = (notDone: string) => {
    if (wholeAt === core.loads()) return;
    const stillMissing = missingHistory(core);
    if (stillMissing) throw historyMissing(stillMissing, notDone);
    wholeAt = core.loads();
  };
  const gate = createGate();
  const inFlight = createInFlight();
  const serial = createSerial();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => serial.run(work);

  /** Plans and writes without anything in between. */
  const commitTo = (
    targets: readonly string[],
    plan: (fieldsOf: FieldsOf) => readonly DatagramDraft[],
  ) =>
    inFlight.track(targets, () =>
      gate.pass(() =>
        core.steady<readonly Datagram[]>((replica) =>
          replica.withTargets<readonly Datagram[] | Again>(targets, (fieldsOf) => {
            if (replica !== core.replica()) return again;
            const drafts = plan(fieldsOf);
            return drafts.length === 0 ? [] : core.append(drafts);
          }),
        ),
      ),
    );
  const write = async (commit: Commit): Promise<Written> => {
    requireHistory("nothing was written");
    const checked = checkCommit(commit);
    const cut = checked
      .filter(({ cutBytes }) => cutBytes > 0)
      .map(({ field, cutBytes }) => ({ field, bytes: cutBytes }));
    for (const { field, bytes } of cut) options.log.warn("a value was cut", { field, bytes });
    const { source } = commit;
    const plan = (fieldsOf: FieldsOf) =>
      planWrites(fieldsOf, checked, source).map(({ target, field, json, causality }) => {
        return { target, field, value: json, source, causality };
      });
    const targets = checked.map(({ target }) => target);
    const writeOnce = () => commitTo(targets, plan);
    // Nothing had to be written; but another write of the same values may not be durable yet.
    const restsOn = (written: readonly Datagram[]) => (written.length === 0 ? targets : []);
    return { datagrams: await inFlight.settled(writeOnce, restsOn), cut };
  };

  /** Datagrams that were ahead may have come due, and nothing else triggers a check. */
  const release = () => void core.replica().release(core.time.nowMs());
  const floorsNow = () =>
    core.steady((replica) =>
      readFloors((targets) => replica.withTargets(targets, (fieldsOf) => targets.map(fieldsOf))),
    );
  const saltNow = async () => {
    const register = await core.steady((replica) => readTarget(replica, forgetRegister));
    return saltsOf(register)[0];
  };
  const scrubHere = async () => {
    const floors = await floorsNow();
    const clean = (datagram: Datagram) =>
      isToScrub(floors, datagram) ? scrub(datagram) : datagram;
    return inTurn(() =>
      gate.close(async () => {
        await core.journal().idle();
        await core.save();
        const count = await core.journal().rewrite(clean);
        if (count > 0) await core.rewritten();
        // A damaged copy may contain forgotten data. Its readable content is in the journal.
        await core.journal().removeDamagedCopies();
        return count;
      }),
    );
  };

  return {
    node: () => core.identity().node,
    write,
    read: async (target) => {
      const read = () => core.steady((replica) => readTarget(replica, target));
      return inFlight.settled(read, shownTargets);
    },
    readAll: (targets) =>
      inFlight.settled(
        () => core.steady((replica) => readTargets(replica, targets)),
        (views) => views.flatMap(shownTargets),
      ),
    status() {
      release();
      return statusOf(core);
    },
    log: createLogPages(core),
    outline: () => outlineOf(core),
    writtenAfter: (stamp, sourcePrefix) => writtenAfter(core, stamp, sourcePrefix),
    vector: () => core.replica().vector(),
    writtenOf: (targets) => writtenOf(core, targets),
    async changedSince(position) {
      // A caller would take missing data for deleted, for example the files of companies.
      if (!options.isReader) requireHistory("files and index stay as they are");
      release();
      return changedSince(core, position);
    },
    digest: () =>
      core.steady(async (replica) => {
        await checkFiles(core);
        return replica.digest();
      }),
    conflicts: (page) => core.steady((replica) => conflictsOf(replica, page)),
    async restore({ target, dot, source }) {
      const { conflicts } = await core.steady((replica) => readTarget(replica, target));
      const found = conflicts.find((one) => one.dot === dot);
      if (!found) throw unknown("conflict", dot, `\`forager ledger conflicts\` lists them`);
      return write({ source, changes: [changeOf(target, found.field, found.value)] });
    },
    quarantine() {
      release();
      return [...core.replica().heldBack().values()];
    },
    async restamp(dot) {
      const found = core.replica().heldBack().get(dot);
      if (!found)
        throw unknown("quarantined datagram", dot, `\`forager ledger quarantine\` lists them`);
      const { target, field, value, source } = found;
      const json = value === undefined ? undefined : (JSON.parse(value) as unknown);
      // The new one first: a crash in between leaves both, and a second call completes it.
      const written = await write({ source, changes: [changeOf(target, field, json)] });
      await write({ source: "system", changes: [{ ...dropOf(dot), value: true }] });
      return written;
    },
    async forget({ target, source }) {
      const before = await core.steady((replica) =>
        replica.withTargets([target], (fieldsOf) => forgottenBefore(target, fieldsOf(target))),
      );
      if (before?.isHiding !== false) {
        const view =
          before?.hidden ?? (await core.steady((replica) => readTarget(replica, target)));
        const register = await core.steady((replica) => readTarget(replica, forgetRegister));
        const newSalt = createId(options.random, saltLength);
        const earlier = before?.forgetting;
        await write({ source, changes: forgetChanges({ view, register, newSalt, earlier }) });
      }
      return scrubHere();
    },
    async erase(request) {
      checkErasures(request);
      requireHistory("nothing was erased");
      const salt = (await saltNow()) ?? createId(options.random, saltLength);
      const planned = await core.steady((replica) => planErasures(core, replica, request.erasures));
      for (const erasures of commitsOf(planned)) {
        const plan = { source: request.source, salt, erasures };
        const targets = [...erasures.map(({ target }) => target), forgetRegister];
        await commitTo(targets, (fieldsOf) => eraseDrafts({ ...plan, fieldsOf }));
      }
      return scrubHere();
    },
    knownFields: (request) =>
      core.steady((replica) =>
        replica.withTargets(request.targets, (fieldsOf) => knownFields(request, fieldsOf)),
      ),
    async unforget({ target, source }) {
      const changes = await core.steady((replica) =>
        replica.withTargets([target], (fieldsOf) => {
          const fields = fieldsOf(target);
          return fields && isForgotten(fields) ? unforgetChanges(target, fields) : [];
        }),
      );
      return write({ source, changes });
    },
    scrub: scrubHere,
    suppressed: (keys) => core.steady((replica) => findSuppressed(replica, keys)),
    async unscrubbed() {
      const floors = await floorsNow();
      let count = 0;
      if (!hasFloors(floors)) return count;
      for await (const one of logOf(core)) if (isLeft(floors, one)) count += 1;
      return core.steady(async ({ base }) => count + (await countInCheckpoint(base, floors)));
    },
    acceptLoss: () =>
      inTurn(() =>
        gate.close(async () => {
          await core.journal().idle();
          const before = missingHistory(core);
          const moved = core.strandedOwn().length > 0 ? await move(core, "hole") : 0;
          if (before) await core.saveIdentity(giveUp(core));
          return { lost: before?.datagrams ?? 0, moved };
        }),
      ),
    withBucket: (bucket) => createSync({ core, bucket, gate, inTurn }),
    exchange: joinCommits(createExchange({ core, gate })),
    ...closable(async () => {
      await using _disk = options.disk; // closed even if the next line fails
      using _core = core;
      await core.journal().idle();
      if (options.isReader) return;
      await core.save();
      try {
        const marks = missingHistory(core) ? {} : marksOf(core);
        await core.saveIdentity({ highWater: core.highWater(), ...marks });
      } catch (error) {
        // Every write since then was refused with this error, so closing need not report it again.
        if (!(error instanceof AppError) || error.code !== "ledger_file_replaced") throw error;
      }
    }),
  };
}

const saltLength = 26;

type FieldsOf = (target: string) => TargetState | undefined;

const changeOf = (target: string, field: string, value: unknown) =>
  value === undefined ? { target, field, unset: true as const } : { target, field, value };

const unknown = (what: string, dot: Dot, where: string) =>
  new AppError("invalid", "ledger_unknown_datagram", `there is no ${what} ${dot}: ${where}`);
