/**
 * One process of a race: increments registers by compare-and-swap and acts in a role until the
 * parent stops or kills it. The first argument has its settings as JSON.
 */
import { openSync } from "node:fs";
import { sleep, systemClock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import { systemRandom } from "../../base/random.ts";
import { isUnavailable } from "../bucket-error.ts";
import { createLease } from "../lease/lease.ts";
import { createHistory, nowMs, type RegisterValue } from "./race-history.ts";
import { openSharedBucket, type SharedBucket } from "./race-store.ts";

export interface RaceProgramSettings {
  readonly shared: SharedBucket;
  readonly logFile: string;
  readonly keys: readonly string[];
  readonly ttlMs: number;
  readonly marginMs: number;
}

const settings = JSON.parse(process.argv[2] ?? "") as RaceProgramSettings;
const { keys, ttlMs, marginMs } = settings;
const [clock, random] = [systemClock, systemRandom];
let isStopping = false;
process.on("message", () => (isStopping = true));
process.on("disconnect", () => process.exit(1)); // end with the parent

const bucket = await openSharedBucket(settings.shared);
const log = createHistory(openSync(settings.logFile, "a"));
await Promise.all([...keys.map(raiseForEver), actForEver()]);
await bucket[Symbol.asyncDispose]();
process.exit(0);

async function raiseForEver(key: string): Promise<void> {
  while (!isStopping) {
    await passing(() => raiseOnce(key));
    await sleep(clock, random.next() * 20);
  }
}

async function raiseOnce(key: string): Promise<void> {
  const sinceMs = nowMs();
  const got = await bucket.get(key);
  if (got.status !== "found") throw new Error(`${key} is ${got.status}`);
  const found = JSON.parse(Buffer.from(got.body).toString()) as RegisterValue;
  log({ event: "read", key, ...found, sinceMs, atMs: nowMs() });
  const nonce = createId(random, 12);
  const value: RegisterValue = { count: found.count + 1, nonce };
  log({ event: "try", key, ...value, baseNonce: found.nonce, atMs: nowMs() });
  const end = (event: "wrote" | "refused" | "unknown") => log({ event, key, nonce, atMs: nowMs() });
  try {
    const { status } = await bucket.putIfMatch(key, Buffer.from(JSON.stringify(value)), got.etag);
    end(status === "written" ? "wrote" : "refused");
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    end("unknown");
  }
}

async function actForEver(): Promise<void> {
  const session = createId(random, 12);
  const lease = createLease({
    bucket,
    name: "role",
    owner: session,
    clock,
    random,
    ttlMs,
    marginMs,
  });
  while (!isStopping) {
    await passing(async () => {
      const taken = await lease.acquire();
      if (taken.status !== "held") return;
      const renewals = random.below(4);
      for (let renewed = 0; ; renewed++) {
        const renewAtMs = nowMs() + ttlMs / 8;
        while (lease.isHeld() && nowMs() < renewAtMs) {
          const atMs = nowMs();
          if (lease.isHeld()) log({ event: "act", session, epoch: taken.epoch, atMs });
          await sleep(clock, 5);
        }
        if (renewed === renewals || (await lease.renew()) === "lost") break;
      }
      // Releases some leases, and lets others expire, as after a crash.
      if (lease.isHeld() && random.next() < 0.7) await lease.release();
    });
    while (lease.isHeld()) await sleep(clock, 20);
    await sleep(clock, random.next() * 200);
  }
}

/** Ignores errors of a store that does not answer for a moment; they are part of the race. */
async function passing(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
}
