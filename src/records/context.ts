import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import { createSerial, type Serial } from "../base/serial.ts";
import type {
  Commit,
  Datagram,
  Ledger,
  LedgerPosition,
  TargetView,
  Written,
} from "../ledger/index.ts";
import { createHeldBack, sideOf, type HeldBack, type HeldFile } from "./files/held-back.ts";
import { createEntryFiles, type EntryFiles } from "./files/entry-files.ts";
import { isBehind } from "./follow/follow.ts";
import { createPositionTracker, type PositionTracker } from "./follow/position-tracker.ts";
import { gatherIndex, isCorrupt, recordOf, type GatheringIndex } from "./search/gathering-index.ts";
import { checkLayoutFolder } from "./files/inspect-folder.ts";
import { layoutOfTarget, layouts, recordFile } from "./files/layout.ts";
import { openRecordDisk, temporaryFolder, type RecordDisk } from "./files/record-disk.ts";
import type { IndexUpdateOptions, RecordIndex } from "./search/record-index.ts";
import { resolveName } from "./search/resolve-name.ts";
import type { RecordsOptions } from "./records.ts";
import { createRedirects, type Redirects } from "./files/redirects.ts";
import {
  createRenderer,
  type RecordEdit,
  type Renderer,
  type RecordRenderOptions,
} from "./render/render.ts";
import { createEntryIngester, type EntryIngester } from "./ingest/ingest-entries.ts";
import { worthWriting } from "./change/machine-facts.ts";

/**
 * State shared by the parts of open records. All changes of files or the index are made in `run`.
 */
export interface RecordsContext {
  readonly ledger: Ledger;
  /** For rendering: includes changes that are not in `stored` yet. */
  readonly index: GatheringIndex;
  readonly stored: RecordIndex;
  /** For facts that are read from files while rendering. Only within `run`. */
  readonly ledgerOfFiles: Pick<Ledger, "read" | "write">;
  readonly disk: RecordDisk;
  readonly heldBack: HeldBack;
  readonly renderer: Renderer;
  readonly redirects: Redirects;
  readonly entryFiles: EntryFiles;
  readonly entryIngester: EntryIngester;
  readonly tracker: PositionTracker;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** `hand:<user>` */
  readonly source: string;
  /**
   * Runs one piece of work at a time. If it fails, changes that are not in the index are dropped.
   */
  readonly run: Serial["run"];
  /** Within long work: lets other work run first. Files and index may change meanwhile. */
  readonly pause: Serial["pause"];
  /** Renders these records, and all records whose files depend on them. Only within `run`. */
  renderMany(targets: Iterable<string>, how?: RecordRenderOptions): Promise<readonly RecordEdit[]>;
  /**
   * Applies gathered changes to the index, and reviews files that were held back. Only within
   * `run`.
   */
  conclude(written?: readonly (readonly Datagram[])[], how?: IndexUpdateOptions): Promise<void>;
  /** Commits the joined batches of the index. */
  settle(): void;
  /** Reviews all files that were held back. Only within `run`. */
  reviewHeld(): Promise<void>;
  /** Writes to the ledger, then to files and index. */
  readonly write: (commit: Commit) => Promise<Written>;
  /** Updates files and index for written commits. Only within `run`. */
  renderWritten(all: readonly WrittenCommit[], how?: IndexUpdateOptions): Promise<void>;
  /** False if nothing was new and everything in the ledger is rendered. */
  isDue(all: readonly WrittenCommit[]): boolean;
  readonly reportFault: (
    path: string,
    target: string | undefined,
    reason: string | undefined,
  ) => void;
}

export interface WrittenCommit {
  readonly commit: Commit;
  readonly written: Written;
}

export function createRecordsContext(options: RecordsOptions): RecordsContext {
  const { ledger, index: stored, clock, random, log } = options;
  const source = `hand:${options.user}`;
  const disk = openRecordDisk(options.folder, random);
  const index = gatherIndex(stored);
  const heldBack = createHeldBack({ disk, clock, random });
  const tracker = createPositionTracker(storedPosition(stored));
  /** Facts that were read from files while rendering; they are rendered with the rest. */
  let fromFiles: (readonly Datagram[])[] = [];
  /** Targets of such facts since the views were read: their views are out of date. */
  const staleViews = new Set<string>();
  const writing = {
    read: (target: string) => ledger.read(target),
    async write(commit: Commit) {
      for (const { target } of commit.changes) staleViews.add(target);
      const written = await ledger.write(commit);
      fromFiles.push(written.datagrams);
      return written;
    },
  };
  const warned = new Map<string, string>();
  const reportFault: RecordsContext["reportFault"] = (path, target, reason) => {
    const known = index.problems().find((one) => one.path === path);
    const foundAt = known?.foundAt ?? new Date(clock.nowMs()).toISOString();
    index.problem(path, reason === undefined ? undefined : { path, target, reason, foundAt });
    // Warn once: a change of a record reads its file several times.
    if (reason === undefined) warned.delete(path);
    else if (warned.get(path) !== reason) {
      warned.set(path, reason);
      log.warn("skipped a file with errors until it is fixed", { path, reason });
    }
  };
  const entryFiles = createEntryFiles({ disk, reportFault });
  const redirects = createRedirects(disk, index);
  const parts = { ledger: writing, index, disk, heldBack, clock, random, log, source, reportFault };
  const renderer = createRenderer({ ...parts, entryFiles, redirects });
  const entryIngester = createEntryIngester(parts);

  const serial = createSerial();
  const run: RecordsContext["run"] = (work, how) =>
    serial.run(async () => {
      try {
        return await work();
      } catch (error) {
        fromFiles = [];
        index.discard();
        tracker.restart(storedPosition(stored));
        throw error;
      }
    }, how);

  /** Called before they are rendered, because afterwards the index does not know them. */
  const announceForgotten = async (views: readonly TargetView[]) => {
    const forgotten = views.filter(({ isForgotten }) => isForgotten).map(({ target }) => target);
    for (const { kind } of layouts) {
      const targets = forgotten.filter((target) => layoutOfTarget(target)?.kind === kind);
      if (targets.length === 0) continue;
      await options.onForget?.({
        kind,
        targets,
        names: targets.flatMap((target) => {
          const indexed = stored.find(target);
          return indexed ? [recordOf(indexed).name] : [];
        }),
        isCalled: (name) => targets.includes(resolveName(stored, kind, name) ?? ""),
      });
    }
  };

  const renderMany: RecordsContext["renderMany"] = async (targets, how = {}) => {
    const edits: RecordEdit[] = [];
    const open = [...targets];
    /** A record that was rendered before another one referred to it is rendered again. */
    const followed = new Set<string>();
    try {
      for (let from = 0; from < open.length;) {
        const some = open.slice(from, from + readAtOnce);
        from += some.length;
        staleViews.clear();
        const views = some.length > 1 ? await ledger.readAll(some) : [await ledger.read(some[0]!)];
        await announceForgotten(views);
        for (const [at, target] of some.entries()) {
          const view = staleViews.has(target) ? undefined : views[at];
          const { edits: found, followers } = await renderer.render(target, { ...how, view });
          edits.push(...found.filter(({ fields }) => fields.length > 0));
          for (const one of followers) {
            if (followed.has(one)) continue;
            followed.add(one);
            open.push(one);
          }
        }
      }
    } catch (error) {
      // The facts are stored and can be found; the files follow when the disk is writable again.
      fromFiles = [];
      await index.apply();
      throw error;
    }
    return edits;
  };

  /**
   * A held file belongs to the record that it names, otherwise to the record that has its folder
   * now.
   */
  const ingestHeld = async (held: HeldFile) => {
    const [folder, slug = ""] = held.from.split("/");
    const layout = layouts.find((one) => one.folder === folder);
    if (!layout || !held.from.endsWith(`/${recordFile}`)) return "nothing";
    const holder = index.bySlug(layout.kind, slug);
    const found = await renderer.ingest({ ...held, layout, holder, sideThen: sideOf(held.name) });
    if (!found) return "nothing";
    if (found.kind !== "broken") await renderMany([found.target]);
    return found.kind;
  };
  const reviewHeld = () => heldBack.review(ingestHeld);

  const conclude: RecordsContext["conclude"] = async (written = [], how = {}) => {
    await heldBack.reviewDue(ingestHeld);
    const all = [...written, ...fromFiles];
    fromFiles = [];
    for (const datagrams of all) tracker.rendered(datagrams);
    await index.apply(all.length > 0 ? tracker.position() : undefined, how);
    if (how.isJoined) settleSoon();
  };
  /** Commits joined changes even if nothing follows. */
  let settling: Timer | undefined;
  const settleSoon = () => {
    settling ??= clock.setTimer(settleMs, () => {
      settling = undefined;
      try {
        stored.settle();
      } catch (error) {
        log.error("changes of the index could not be stored: the records are rendered again", {
          error,
        });
        tracker.restart(storedPosition(stored));
      }
    });
  };
  const settle = () => {
    settling?.cancel();
    settling = undefined;
    stored.settle();
  };

  const isDue: RecordsContext["isDue"] = (all) =>
    // Another process may have written the same, and died before rendering it.
    all.some(({ written }) => written.datagrams.length > 0) || isBehind(ledger, stored.position());
  const renderWritten: RecordsContext["renderWritten"] = async (all, how) => {
    const targets = new Set(all.flatMap(({ commit }) => commit.changes.map((one) => one.target)));
    await renderMany(targets, { isHasty: all.length > 1 });
    await conclude(
      all.map(({ written }) => written.datagrams),
      how,
    );
  };

  const write: RecordsContext["write"] = async (commit) => {
    const worth = worthWriting(commit);
    const dropped = commit.changes.length - worth.changes.length;
    if (dropped > 0) log.debug("empty values were left out", { dropped });
    const outcome = { commit: worth, written: await ledger.write(worth) };
    if (isDue([outcome])) await renderTogether(outcome).catch(throwFilesBehind);
    return outcome.written;
  };

  /** Writes that wait for their turn are rendered together, with one sync of files and index. */
  let waiting: WrittenCommit[] = [];
  let rendering: Promise<void> | undefined;
  const renderTogether = (outcome: WrittenCommit): Promise<void> => {
    waiting.push(outcome);
    rendering ??= run(async () => {
      const all = waiting;
      [waiting, rendering] = [[], undefined];
      await renderWritten(all);
    });
    return rendering;
  };

  const start = () => {
    for (const one of layouts) checkLayoutFolder(disk, one);
    for (const file of disk.list(temporaryFolder)) disk.remove(`${temporaryFolder}/${file}`);
  };
  start();

  return {
    ...parts,
    ledger,
    ledgerOfFiles: writing,
    stored,
    renderer,
    redirects,
    entryFiles,
    entryIngester,
    tracker,
    run,
    pause: (how) => serial.pause(how),
    renderMany,
    conclude,
    settle,
    reviewHeld,
    write,
    renderWritten,
    isDue,
  };
}

/** Joined changes of the index are committed this long after the first one. */
const settleMs = 1_000;

/** The number of records that are read from the ledger at once. */
const readAtOnce = 100;

/** The position of the index; undefined if it is empty, or damaged and about to be replaced. */
export function storedPosition(index: Pick<RecordIndex, "position">): LedgerPosition | undefined {
  try {
    return index.position();
  } catch (error) {
    if (isCorrupt(error)) return undefined;
    throw error;
  }
}

/** Throws an error which says that nothing is lost. */
export function throwFilesBehind(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const message = `the facts are stored, but not their files: ${error.message}; then \`forager records rebuild\` writes them`;
  throw new AppError(error.kind, error.code, message, { cause: error });
}
