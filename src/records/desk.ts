import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Commit, Datagram, Ledger, Written } from "../ledger/index.ts";
import { createAside, sideOf, type Aside, type Taken } from "./aside.ts";
import { createEntryFiles, type EntryFiles } from "./entry-files.ts";
import { isBehind } from "./follow.ts";
import { createFollower, type Follower } from "./follower.ts";
import { gatherIndex, type GatheringIndex } from "./gathering-index.ts";
import { checkLayoutFolder } from "./ingest.ts";
import { layouts, recordFile } from "./layout.ts";
import { openRecordDisk, temporaryFolder, type RecordDisk } from "./record-disk.ts";
import type { RecordIndex } from "./record-index.ts";
import type { RecordsOptions } from "./records.ts";
import { createRedirects, type Redirects } from "./redirects.ts";
import { createRenderer, type Edit, type Renderer, type RenderOptions } from "./render.ts";
import { createEntryTaker, type EntryTaker } from "./take-in-entry.ts";
import { createTurns, type Turns } from "./turns.ts";
import { worthWriting } from "./machine-facts.ts";

/** What the parts of open records share. Whatever touches files does so `inTurn`. */
export interface Desk {
  readonly ledger: Ledger;
  readonly index: GatheringIndex;
  readonly stored: RecordIndex;
  /** For facts that come from files while they are rendered. Only in turn. */
  readonly ledgerOfFiles: Pick<Ledger, "read" | "write">;
  readonly disk: RecordDisk;
  readonly aside: Aside;
  readonly renderer: Renderer;
  readonly redirects: Redirects;
  readonly entryFiles: EntryFiles;
  readonly entryTaker: EntryTaker;
  readonly follower: Follower;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** `hand:<user>` */
  readonly source: string;
  readonly inTurn: Turns["inTurn"];
  readonly pause: Turns["pause"];
  /** Renders some, and all that follow from them. Only in turn. */
  renderMany(targets: Iterable<string>, how?: RenderOptions): Promise<readonly Edit[]>;
  /** Puts what was gathered into the index, and looks after what was put aside. Only in turn. */
  conclude(written?: readonly (readonly Datagram[])[]): Promise<void>;
  settle(): Promise<void>;
  /** Ledger, then files and index. */
  readonly write: (commit: Commit) => Promise<Written>;
  /** Files and index of what was written. Only in turn. */
  renderWritten(all: readonly Outcome[]): Promise<void>;
  /** Whether what was written may have to be rendered: not where nothing at all is new. */
  isDue(all: readonly Outcome[]): boolean;
  readonly tell: (path: string, target: string | undefined, reason: string | undefined) => void;
}

export interface Outcome {
  readonly commit: Commit;
  readonly written: Written;
}

export function createDesk(options: RecordsOptions): Desk {
  const { ledger, index: stored, clock, random, log } = options;
  const source = `hand:${options.user}`;
  const disk = openRecordDisk(options.folder, random);
  const index = gatherIndex(stored);
  const aside = createAside({ disk, clock, random });
  const follower = createFollower(stored.position());
  /** Facts that came from files while rendering: they are rendered with the rest. */
  let fromFiles: (readonly Datagram[])[] = [];
  /** Targets that such facts are about, since views were read ahead. */
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
  const tell: Desk["tell"] = (path, target, reason) => {
    const known = index.problems().find((one) => one.path === path);
    const foundAt = known?.foundAt ?? new Date(clock.nowMs()).toISOString();
    index.problem(path, reason === undefined ? undefined : { path, target, reason, foundAt });
    // Once: who changes a record looks at its file several times.
    if (reason === undefined) warned.delete(path);
    else if (warned.get(path) !== reason) {
      warned.set(path, reason);
      log.warn("a file is left alone until it is mended", { path, reason });
    }
  };
  const entryFiles = createEntryFiles({ disk, tell });
  const redirects = createRedirects(disk, index);
  const parts = { ledger: writing, index, disk, aside, clock, random, log, source, tell };
  const renderer = createRenderer({ ...parts, entryFiles, redirects });
  const entryTaker = createEntryTaker(parts);

  /** Of the index, as far as what is kept in memory goes; undefined: nothing of it holds. */
  let version: number | undefined = stored.version();
  const { inTurn, pause } = createTurns({
    index: stored,
    clock,
    ...(options.signal && { signal: options.signal }),
    begin() {
      const now = stored.version();
      if (now === version) return;
      index.reload();
      follower.adopt(stored.position());
      version = now;
    },
    fail() {
      index.discard();
      fromFiles = [];
      version = undefined;
    },
  });

  const renderMany: Desk["renderMany"] = async (targets, how = {}) => {
    const edits: Edit[] = [];
    const open = [...targets];
    /** One that was rendered before it was followed to is rendered once more. */
    const followed = new Set<string>();
    try {
      for (let from = 0; from < open.length;) {
        const some = open.slice(from, from + readAtOnce);
        from += some.length;
        staleViews.clear();
        const views = some.length > 1 ? await ledger.readAll(some) : [];
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
      // The facts are there, and can be found; the files follow when the disk lets them.
      fromFiles = [];
      await index.apply();
      throw error;
    }
    return edits;
  };

  /** A copy that was put aside: of the record it names, or of the one that has its folder now. */
  const takeInCopy = async (copy: Taken) => {
    const [folder, slug = ""] = copy.from.split("/");
    const layout = layouts.find((one) => one.folder === folder);
    if (!layout || !copy.from.endsWith(`/${recordFile}`)) return "nothing";
    const holder = index.bySlug(layout.kind, slug);
    const sideThen = sideOf(copy.name);
    const taken = await renderer.takeIn({ ...copy, layout, holder, sideThen });
    if (!taken) return "nothing";
    if (taken.kind !== "broken") await renderMany([taken.target]);
    return taken.kind;
  };
  const settle: Desk["settle"] = () => aside.settle(takeInCopy);

  const conclude: Desk["conclude"] = async (written = []) => {
    await aside.settleOwn(takeInCopy);
    const all = [...written, ...fromFiles];
    fromFiles = [];
    for (const datagrams of all) follower.rendered(datagrams);
    await index.apply(all.length > 0 ? follower.position() : undefined);
  };

  const isDue: Desk["isDue"] = (all) =>
    // Another process may have written the same, or ours before its answer was lost, and then died.
    all.some(({ written }) => written.datagrams.length > 0) || isBehind(ledger, stored.position());
  const renderWritten: Desk["renderWritten"] = async (all) => {
    const targets = new Set(all.flatMap(({ commit }) => commit.changes.map((one) => one.target)));
    await renderMany(targets, { isHasty: all.length > 1 });
    await conclude(all.map(({ written }) => written.datagrams));
  };

  const write: Desk["write"] = async (commit) => {
    const worth = worthWriting(commit);
    const dropped = commit.changes.length - worth.changes.length;
    if (dropped > 0) log.debug("values that say nothing were left out", { dropped });
    const all = [{ commit: worth, written: await ledger.write(worth) }];
    if (isDue(all)) await inTurn(() => renderWritten(all)).catch(sayBehind);
    return all[0]!.written;
  };

  const start = () => {
    for (const one of layouts) checkLayoutFolder(disk, one);
    for (const file of disk.list(temporaryFolder)) {
      const name = `${temporaryFolder}/${file}`;
      const { changedAtMs } = disk.look(name) ?? { changedAtMs: Infinity };
      // A younger one may be another process at work.
      if (clock.nowMs() - changedAtMs > hourMs) disk.remove(name);
    }
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
    entryTaker,
    follower,
    inTurn,
    pause,
    renderMany,
    conclude,
    settle,
    write,
    renderWritten,
    isDue,
  };
}

const hourMs = 3_600_000;
/** Views that are read ahead. */
const readAtOnce = 100;

/** Nothing is lost, and who hears of it should know. */
export function sayBehind(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const message = `the facts are stored, but not their files: ${error.message}; then \`forager records rebuild\` writes them`;
  throw new AppError(error.kind, error.code, message, { cause: error });
}
