import { resolve } from "node:path";
import type { Settings, SettingsMarks } from "../../../config/index.ts";
import type { NodeWanted } from "../../../fleet/index.ts";
import type { Post } from "../../../worker/index.ts";
import type { Flags, OptionSpec, SettingsContext } from "../../command.ts";
import { listFlag, parseCount, textFlag } from "../../flags.ts";
import { parseConcurrency, parsePools, toPosts, withWorkers, type Pool } from "./pools.ts";

/** Of `forager work`, and of each of its processes, which read the same command line. */
export const workOptions: readonly OptionSpec[] = [
  {
    flag: "--handlers",
    value: "file",
    summary: "run also the handlers that this file exports",
    complete: "file",
  },
  { flag: "--kinds", value: "kinds", summary: "only these, parted by commas", isRepeated: true },
  { flag: "--processes", value: "count", summary: "worker processes of each pool" },
  {
    flag: "--concurrency",
    value: "count",
    summary: "tasks at once in each process: 10, or 5-20 to follow the load",
  },
  { flag: "--drain", summary: "end when nothing is left to do" },
  {
    flag: "--listen",
    value: "address",
    summary: "serve /metrics, /healthz and /readyz, such as on 127.0.0.1:9464",
  },
];

/** Undefined: only the kinds that are built in. */
export function handlersFile(settings: Settings, flags: Flags, cwd: string): string | undefined {
  const flag = textFlag(flags, "handlers");
  return flag === undefined ? settings.work.handlers : resolve(cwd, flag);
}

/** What the flags say goes over what the settings say. */
export function planPools(settings: Settings, flags: Flags): readonly Pool[] {
  const kinds = listFlag(flags, "kinds");
  const processes = textFlag(flags, "processes");
  const concurrency = textFlag(flags, "concurrency");
  const pools = parsePools(settings.work.pools);
  const chosen = kinds ? [{ ...pools[0]!, kinds }] : pools;
  return chosen.map((pool) => ({
    ...pool,
    ...(processes !== undefined && { processes: parseCount("processes", processes) }),
    ...(concurrency !== undefined && { concurrency: parseConcurrency(concurrency) }),
  }));
}

/** What a process reads when it begins: a change needs a new one. */
const readAtBegin = [
  "data",
  "log.",
  "queue.",
  "bucket.",
  "crawl.",
  "work.handlers",
  "work.graceMs",
];

export function planPosts(
  { settings, marks }: { readonly settings: Settings; readonly marks: SettingsMarks },
  { flags }: Pick<SettingsContext, "flags">,
  wanted: Pick<NodeWanted, "state" | "workers"> | undefined,
): readonly Post[] {
  if (wanted && wanted.state !== "working") return [];
  const version = JSON.stringify(
    [...marks].filter(([key]) => readAtBegin.some((prefix) => key.startsWith(prefix))),
  );
  return toPosts(withWorkers(planPools(settings, flags), wanted?.workers ?? new Map()), version);
}
