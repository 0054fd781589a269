import type { Clock } from "../../base/clock.ts";
import { isUnavailable, type Bucket } from "../../bucket/index.ts";
import type { Paths } from "../../config/index.ts";
import { attemptsKey, type NodeSeen } from "../../fleet/index.ts";
import type { SeenAttempt } from "../../worker/index.ts";
import { openFleet, type OpenFleetOptions } from "./open-fleet.ts";
import { attemptsIn, readAttemptLines, type AttemptQuery } from "../work/attempt-records.ts";

export interface AttemptReaderOptions {
  readonly paths: Paths;
  readonly clock: Clock;
}

/** The nodes of a fleet, and the bucket where they put their records. */
interface Reachable {
  readonly roster: readonly NodeSeen[];
  readonly bucket: Pick<Bucket, "get"> | undefined;
}

export type AttemptReader = (
  query: AttemptQuery,
  /** Rejects if the bucket does not answer; then only records of this machine are read. */
  reach: () => Promise<Reachable>,
) => Promise<readonly SeenAttempt[]>;

/** Nodes send their records every ten minutes, and each look at one costs a request. */
const keptMs = 60_000;
/** The most nodes that are asked at once. */
const nodesMax = 50;

/** Reads which attempts workers made: those of this data folder, and the last ones of other nodes. */
export function createAttemptReader({ paths, clock }: AttemptReaderOptions): AttemptReader {
  const seen = new Map<string, { readonly atMs: number; readonly lines: readonly string[] }>();

  const linesOf = async (bucket: Pick<Bucket, "get">, node: string) => {
    const known = seen.get(node);
    if (known && clock.monotonicMs() - known.atMs < keptMs) return known.lines;
    const got = await bucket.get(attemptsKey(node));
    const lines = got.status === "found" ? Buffer.from(got.body).toString().split("\n") : [];
    seen.set(node, { atMs: clock.monotonicMs(), lines });
    return lines;
  };

  const ofOthers = async (query: AttemptQuery, { roster, bucket }: Reachable) => {
    const others = roster.filter(({ isSelf }) => !isSelf).slice(0, nodesMax);
    for (const node of seen.keys())
      if (!others.some((other) => other.node === node)) seen.delete(node);
    if (!bucket) return [];
    const found = await Promise.all(
      others.map(async ({ node, label }) => attemptsIn(await linesOf(bucket, node), query, label)),
    );
    return found.flat();
  };

  return async (query, reach) => {
    const lines = await readAttemptLines(paths);
    try {
      const reached = await reach();
      const self = reached.roster.find(({ isSelf }) => isSelf);
      return [...attemptsIn(lines, query, self?.label ?? ""), ...(await ofOthers(query, reached))];
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return attemptsIn(lines, query, "");
    }
  };
}

/** For one look, by a process that has no fleet open. */
export async function readAttempts(
  options: Omit<OpenFleetOptions, "isReader">,
  query: AttemptQuery,
): Promise<readonly SeenAttempt[]> {
  await using fleet = await openFleet({ ...options, isReader: true });
  return await createAttemptReader(options)(query, async () => {
    const { roster } = await fleet.reach();
    return { roster, bucket: fleet.bucket };
  });
}
