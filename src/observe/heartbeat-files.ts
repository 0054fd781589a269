import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "../base/files/atomic-file.ts";
import type { Clock } from "../base/clock.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { readRegularFile } from "../base/files/regular-file.ts";
import type { Service } from "../base/service.ts";
import type { Paths } from "../config/index.ts";
import { heartbeatMsMax, parseHeartbeat, type Heartbeat } from "./heartbeat.ts";

export interface HeartbeatFolder {
  readonly paths: Pick<Paths, "resolve">;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
const folderOf = ({ paths }: HeartbeatFolder) => paths.resolve("nodes");

/** The heartbeats that the processes of this data folder wrote within the last minute. */
export async function readHeartbeats(options: HeartbeatFolder): Promise<readonly Heartbeat[]> {
  const folder = folderOf(options);
  const names = await readdir(folder).catch(() => []); // no process has worked here yet
  const texts = await Promise.all(
    names.map((name) => readRegularFile(join(folder, name)).then(String, () => "")),
  );
  return texts
    .map(parseHeartbeat)
    .filter((heartbeat) => heartbeat !== undefined)
    .filter(({ atMs }) => options.clock.nowMs() - atMs < heartbeatMsMax);
}

export interface HeartbeatFileOptions extends HeartbeatFolder {
  readonly host: string;
  readonly pid: number;
}

/** The heartbeat file of one `forager work`; a machine may run several. */
export interface HeartbeatFile extends Service {
  write(heartbeat: Heartbeat): Promise<void>;
}

/**
 * On stop it removes the file; on start it removes files that are a day old, left by killed
 * processes.
 */
export function createHeartbeatFile(options: HeartbeatFileOptions): HeartbeatFile {
  const { host, pid } = options;
  const file = () => options.paths.resolve("nodes", `${safeName(host)}-${pid}.json`);
  return {
    start: () => removeOld(options),
    async write(heartbeat) {
      makeFolder(folderOf(options), { mode: 0o700 });
      await writeFileAtomic(file(), JSON.stringify(heartbeat));
    },
    stop: () => rm(file(), { force: true }),
  };
}

async function removeOld(options: HeartbeatFolder): Promise<void> {
  const folder = folderOf(options);
  const names = await readdir(folder).catch(() => []); // no process has worked here yet
  for (const name of names) {
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found && options.clock.nowMs() - found.mtimeMs > dayMs) await rm(file, { force: true });
  }
}

const safeName = (text: string) => text.replaceAll(/[^A-Za-z0-9._-]/g, "_").replace(/\.+$/, "");
