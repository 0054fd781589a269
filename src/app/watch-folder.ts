import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Service } from "../base/service.ts";
import type { Paths } from "../config/index.ts";

export interface FolderWatch extends Service {
  /** Rejects when the folder is gone; never resolves. */
  readonly gone: Promise<never>;
}

const everyMs = 5_000;

/**
 * Notices that the data folder was deleted, moved or replaced under a process that works with it:
 * what it has open goes on to work, and what it writes would be kept nowhere. Told at the second
 * look, since who restores a folder may move it for a moment.
 */
export function watchFolder({
  paths,
  clock,
}: {
  readonly paths: Pick<Paths, "root" | "resolve">;
  readonly clock: Clock;
}): FolderWatch {
  let timer: Timer | undefined;
  let isStopped = false;
  let known: string | undefined;
  let node: string | undefined;
  let missed = 0;
  let tell: (error: AppError) => void = () => {};
  const gone = new Promise<never>((_, reject) => (tell = reject));
  gone.catch(() => {}); // whoever waits for it is told; nobody may
  const ledger = () => paths.resolve("ledger");
  /** Some file systems number their folders anew now and then: then the node in it tells. */
  const isRenumbered = async (mark: string) => {
    if (mark === none || node === undefined || (await nodeIn(ledger())) !== node) return false;
    known = mark;
    return true;
  };
  const look = async () => {
    const found = await markOf(ledger());
    const isSame = found === undefined || found === known || (await isRenumbered(found));
    missed = isSame ? 0 : missed + 1;
    if (missed > 1) return tell(goneError(paths.root()));
    if (!isStopped) timer = clock.setTimer(everyMs, () => void look(), { background: true });
  };
  return {
    gone,
    async start() {
      known = await markOf(ledger());
      node = await nodeIn(ledger());
      await look();
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

const none = "none";

async function nodeIn(folder: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(folder, "node.json"), "utf8");
    return (JSON.parse(text) as { readonly node: string }).node;
  } catch {
    return undefined; // it is not there, or none of ours
  }
}

/** The same as long as it is the same folder; undefined: a disk that does not answer says nothing. */
async function markOf(folder: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(folder, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? none : undefined;
  }
}

const goneError = (folder: string) =>
  new AppError(
    "unavailable",
    "data_folder_gone",
    `the data folder ${folder} is not the one that this process began with: it was deleted, moved ` +
      "or replaced. What this process writes would be kept nowhere. See that it is there, and start again",
  );
