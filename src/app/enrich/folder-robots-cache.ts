import { createHash } from "node:crypto";
import { dirname } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import type { Clock } from "../../base/clock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { Metrics } from "../../base/metrics.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import type { Paths } from "../../config/index.ts";
import { createMemoryRobotsCache, type RobotsCache, type RobotsNote } from "../../crawl/index.ts";

export interface FolderRobotsCacheOptions {
  readonly paths: Pick<Paths, "resolve">;
  readonly clock: Clock;
  readonly metrics?: Metrics;
}

/**
 * A cache shared by all processes of a data folder that survives them, so a restarted worker does
 * not fetch a robots.txt again that it read an hour ago. Invariants:
 * - at most 4,096 files; each has the newest notes of the origins that hash to it, at most 100;
 * - if two processes change a file at once, one note is lost and fetched again;
 * - a file that cannot be read counts as missing.
 */
export function createFolderRobotsCache({
  paths,
  clock,
  metrics,
}: FolderRobotsCacheOptions): RobotsCache {
  const memory = createMemoryRobotsCache({
    clock,
    load: async (origin) => (await readNotes(fileOf(paths, origin)))[origin],
    ...(metrics && { metrics }),
  });
  return {
    get: (origin) => memory.get(origin),
    async put(origin, note) {
      await memory.put(origin, note);
      if (JSON.stringify(note).length > noteCharsMax) return;
      const file = fileOf(paths, origin);
      const notes = { ...(await readNotes(file)), [origin]: note };
      const newest = Object.entries(notes).sort(([, a], [, b]) => b.atMs - a.atMs);
      makeFolder(dirname(file), { mode: 0o700 });
      await writeFileAtomic(file, JSON.stringify(Object.fromEntries(newest.slice(0, notesMax))));
    },
  };
}

const notesMax = 100;
/** Longer notes are cached only in the process that read them. */
const noteCharsMax = 20_000;

/** The name is a hash, so text from a site never becomes a path. */
function fileOf(paths: Pick<Paths, "resolve">, origin: string): string {
  const name = createHash("sha256").update(origin).digest("hex").slice(0, 3);
  return paths.resolve("robots", `${name}.json`);
}

async function readNotes(file: string): Promise<Readonly<Record<string, RobotsNote>>> {
  try {
    return notesSchema.parse(JSON.parse((await readRegularFile(file)).toString())) as Record<
      string,
      RobotsNote
    >;
  } catch {
    return {};
  }
}

const notesSchema = z.record(
  z.string(),
  z.object({
    state: z.enum(["read", "absent", "unreachable"]),
    robots: z.object({
      rules: z.array(z.object({ allow: z.boolean(), pattern: z.string() })),
      crawlDelayMs: z.number().optional(),
      sitemaps: z.array(z.string()),
    }),
    atMs: z.number(),
    reason: z.string().optional(),
    isOffline: z.boolean().optional(),
  }),
);
