import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LoadedSettings } from "../../../config/index.ts";
import { heartbeatMsMax, parseHeartbeat, type Heartbeat } from "../../../observe/index.ts";
import type { SettingsContext } from "../../command.ts";

const dayMs = 86_400_000;
type Context = Pick<SettingsContext, "paths" | "clock">;

/** What the nodes of this data folder said of themselves within the last minute. */
export async function readHeartbeats({ paths, clock }: Context): Promise<readonly Heartbeat[]> {
  const folder = paths.resolve("nodes");
  const names = await readdir(folder).catch(() => []); // nobody has worked here yet
  const texts = await Promise.all(
    names.map((name) => readFile(join(folder, name), "utf8").catch(() => "")),
  );
  return texts
    .map(parseHeartbeat)
    .filter((beat) => beat !== undefined)
    .filter((beat) => clock.nowMs() - beat.atMs < heartbeatMsMax);
}

/** Those of processes that were killed stay behind. */
export async function forgetOldHeartbeats({ paths, clock }: Context): Promise<void> {
  const folder = paths.resolve("nodes");
  const names = await readdir(folder).catch(() => []); // nobody has worked here yet
  for (const name of names) {
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found && clock.nowMs() - found.mtimeMs > dayMs) await rm(file, { force: true });
  }
}

/** These are a node's own, and differ between nodes for good reasons. */
const ownSettings = ["data", "log.", "work.", "gossip.host", "gossip.port", "gossip.peers"];

/** Of the settings that a fleet should have in common. A secret is in it as the stars it shows as. */
export function fingerprintOf({ values }: LoadedSettings): string {
  const common = values
    .filter(({ key }) => !ownSettings.some((own) => key.startsWith(own)))
    .map(({ key, display }) => [key, display]);
  return createHash("sha256").update(JSON.stringify(common)).digest("hex").slice(0, 12);
}
