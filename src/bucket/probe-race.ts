import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { isUnavailable } from "./bucket-error.ts";
import type { Bucket } from "./bucket.ts";

const racersCount = 32;

export interface ProbeRaceOptions {
  readonly patient: Bucket;
  readonly random: Random;
  readonly key: string;
}

/** "none": it is not clear that anybody won, which proves nothing; try again with another key. */
export type RaceOutcome = "one" | "none" | { readonly fault: string };

/**
 * Several clients write at once under the same condition. A racer without an answer may be the
 * winner, so its body may be stored. It is a fault if two racers got the answer that they won, or if a
 * winner's body is not stored.
 */
export async function raceOnce(
  { patient, random, key }: ProbeRaceOptions,
  write: (body: Uint8Array) => Promise<{ readonly status: string }>,
): Promise<RaceOutcome> {
  const racers = await Promise.all(
    Array.from({ length: racersCount }, async () => {
      const body = Buffer.from(createId(random));
      return { body, outcome: await tryOnce(() => write(body)) };
    }),
  );
  const winners = racers.filter(({ outcome }) => outcome === "won");
  if (winners.length > 1) {
    return { fault: `${winners.length} of ${racersCount} racers won: conditions do not exclude` };
  }
  const got = await patient.get(key);
  const current = got.status === "found" ? got.body : undefined;
  const stands = ({ body }: { readonly body: Uint8Array }) =>
    current !== undefined && Buffer.compare(current, body) === 0;
  const [winner] = winners;
  if (winner) return stands(winner) ? "one" : { fault: "the winner of a race was overwritten" };
  const owner = racers.find(stands);
  if (owner?.outcome === "lost")
    return { fault: "a racer was told that it lost, but its body is stored" };
  return owner ? "one" : "none";
}

async function tryOnce(
  write: () => Promise<{ readonly status: string }>,
): Promise<"won" | "lost" | "unknown"> {
  try {
    const { status } = await write();
    return status === "created" || status === "written" ? "won" : "lost";
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return "unknown";
  }
}
