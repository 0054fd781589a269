import { createHash } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readRegularFileSync } from "../../base/files/regular-file.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { Queue } from "../../queue/index.ts";
import type { ReleaseListener } from "../../worker/index.ts";

/**
 * The reason why a worker of this data folder released tasks of a kind and job: something is
 * missing, such as a setting or a campaign's places. There is one file per kind and job, so that
 * worker processes do not overwrite each other's records. The file is removed when a worker of the
 * folder runs such a task.
 */
export interface ReleaseRecord {
  readonly kind: string;
  readonly job: string;
  readonly reason: string;
  readonly atMs: number;
}

export interface ContactSettings {
  readonly crawl: Pick<Settings["crawl"], "contact">;
}

const recordsMax = 100;
const reasonLengthMax = 500;

export function createReleaseRecords(options: {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Logger;
}): ReleaseListener {
  const { paths, clock, log } = options;
  const folder = folderOf(paths);
  const known = new Set(namesIn(folder));
  const failed = (cause: unknown) =>
    log.warn("could not store the reason for which a task was released", { error: cause });
  return {
    released({ kind, job }, reason) {
      const name = nameOf(kind, job);
      if (known.size >= recordsMax && !known.has(name)) return;
      known.add(name);
      const text = reason.slice(0, reasonLengthMax);
      const record: ReleaseRecord = { kind, job, reason: text, atMs: clock.nowMs() };
      void Promise.resolve()
        .then(() => {
          makeFolder(folder, { mode: 0o700 });
          return writeFileAtomic(join(folder, name), `${JSON.stringify(record)}\n`);
        })
        .catch(failed);
    },
    ended({ kind, job }) {
      const name = known.size === 0 ? undefined : nameOf(kind, job);
      if (name === undefined || !known.delete(name)) return;
      try {
        rmSync(join(folder, name), { force: true });
      } catch (error) {
        failed(error);
      }
    },
  };
}

/**
 * Records whose job still has waiting tasks, newest first. Skips a missing contact that was set
 * since then, even if no worker has noticed it yet.
 */
export async function readReleaseRecords(
  paths: Paths,
  queue: Pick<Queue, "job">,
  { crawl }: ContactSettings,
): Promise<readonly ReleaseRecord[]> {
  const folder = folderOf(paths);
  const kept = namesIn(folder).flatMap((name) => readRecord(join(folder, name)) ?? []);
  if (kept.length === 0) return [];
  const { noContact } = await import("../../campaign/index.ts");
  const records = kept.filter(({ reason }) => crawl.contact === undefined || reason !== noContact);
  const waiting = await Promise.all(
    records.map(async (record) => ((await queue.job(record.job))?.pending ?? 0) > 0),
  );
  return records.filter((_, at) => waiting[at]).toSorted((a, b) => b.atMs - a.atMs);
}

/**
 * Workers claim a kind again a few seconds after they released it, so newer records are current.
 */
const currentMs = 60_000;

/** What this node's workers are releasing now, as text for the other nodes. */
export function currentReleases(paths: Paths, nowMs: number): readonly string[] {
  const folder = folderOf(paths);
  return namesIn(folder)
    .flatMap((name) => readRecord(join(folder, name)) ?? [])
    .filter(({ atMs }) => nowMs - atMs < currentMs)
    .map(releaseText);
}

export const releaseText = ({ kind, job, reason }: ReleaseRecord): string =>
  `this node releases ${kind} tasks of job ${job}: ${reason}`;

const folderOf = (paths: Paths): string => paths.resolve("work", "released");

const nameOf = (kind: string, job: string): string =>
  `${createHash("sha256")
    .update(JSON.stringify([kind, job]))
    .digest("hex")
    .slice(0, 32)}.json`;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[0-9a-f]{32}\.json$/.test(name))
      .slice(0, recordsMax);
  } catch {
    return []; // nothing was ever released
  }
}

function readRecord(file: string): ReleaseRecord | undefined {
  try {
    return JSON.parse(String(readRegularFileSync(file))) as ReleaseRecord;
  } catch {
    return undefined; // removed meanwhile, or damaged: the next release rewrites it
  }
}
