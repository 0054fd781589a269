import { AppError } from "../base/app-error.ts";
import { sleep, type Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { isUnavailable } from "./bucket-error.ts";
import type { Bucket } from "./bucket.ts";
import { raceOnce } from "./probe-race.ts";
import { createRetryingBucket } from "./retrying-bucket.ts";

export interface ProbeOptions {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
}

export interface ProbeReport {
  /** True if leases and queues may use this store. */
  readonly isFit: boolean;
  readonly steps: readonly ProbeStep[];
  readonly traits: Readonly<Record<string, string>>;
}

/**
 * "forbidden": a right is missing. "unknown": several tries gave no clear answer, or an earlier
 * step failed that this one needs. Only "ok" is trusted.
 */
export interface ProbeStep {
  readonly name: string;
  readonly state: "ok" | "fail" | "forbidden" | "unknown";
  readonly detail: string;
}

type Verdict = Omit<ProbeStep, "name">;

const triesMax = 8;
const raceRounds = 2;

/**
 * Finds out how a store really behaves. Many stores accept a condition and ignore it, or check it
 * and then write in two steps; only a race shows that. Takes about 160 requests and leaves nothing
 * behind. Throws if nothing can be tried at all (wrong credentials, no such bucket, no answer).
 */
export async function probeBucket({ bucket, clock, random }: ProbeOptions): Promise<ProbeReport> {
  const folder = `probe/${createId(random)}/`;
  const patient = createRetryingBucket({ bucket, clock, random });
  const at: ProbeContext = { bucket, patient, clock, random, folder };
  const steps: ProbeStep[] = [];
  for (const [name, run] of Object.entries(probeSteps)) {
    steps.push({ name, ...(await judged(() => run(at))) });
  }
  const clean = await judged(() => removeAll(at));
  steps.push({ name: "delete", ...clean });
  return { isFit: steps.every(({ state }) => state === "ok"), steps, traits: bucket.traits() };
}

/** Throws unless the store is fit. Call it before using anything that needs conditional writes. */
export async function requireFitBucket(options: ProbeOptions): Promise<ProbeReport> {
  const report = await probeBucket(options);
  if (report.isFit) return report;
  const faults = report.steps.filter(({ state }) => state !== "ok");
  throw new AppError(
    "invalid",
    "bucket_unfit",
    `this store cannot coordinate a fleet: ${faults
      .map(({ name, detail }) => `${name}: ${detail}`)
      .join("; ")}. Use another store; \`forager bucket probe ADDRESS\` shows all checks`,
  );
}

interface ProbeContext {
  readonly bucket: Bucket;
  /** Retries requests that are safe to repeat. */
  readonly patient: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  readonly folder: string;
}

const probeSteps: Readonly<Record<string, (at: ProbeContext) => Promise<Verdict>>> = {
  async create(at) {
    const body = nonce(at);
    const outcome = await settle(at, "one", body, () =>
      at.bucket.putIfAbsent(keyOf(at, "one"), body),
    );
    return outcome === "won" ? ok("an object can be created") : unclear();
  },
  async "reject create"(at) {
    if (!(await read(at, "one"))) return untried();
    const body = nonce(at);
    const outcome = await settle(at, "one", body, () =>
      at.bucket.putIfAbsent(keyOf(at, "one"), body),
    );
    if (outcome === "won") return fail("If-None-Match is ignored: an object was created twice");
    return outcome === "lost" ? ok("an existing object is not created again") : unclear();
  },
  async update(at) {
    const base = await read(at, "one");
    if (!base) return untried();
    const body = nonce(at);
    const write = () => at.bucket.putIfMatch(keyOf(at, "one"), body, base.etag);
    const outcome = await settle(at, "one", body, write);
    if (outcome === "lost") return fail("If-Match refuses the right ETag too");
    return outcome === "won" ? ok("an unchanged object can be replaced") : unclear();
  },
  async "reject stale"(at) {
    const base = await read(at, "one");
    if (!base) return untried();
    await at.patient.put(keyOf(at, "one"), nonce(at));
    const body = nonce(at);
    const write = () => at.bucket.putIfMatch(keyOf(at, "one"), body, base.etag);
    const outcome = await settle(at, "one", body, write);
    if (outcome === "won") return fail("If-Match is ignored: a changed object was overwritten");
    return outcome === "lost" ? ok("a changed object is not replaced") : unclear();
  },
  "race to create": (at) =>
    race(at, async (round) => {
      const key = keyOf(at, `create-${round}`);
      return raceOnce({ ...at, key }, (body) => at.bucket.putIfAbsent(key, body));
    }),
  "race to update": (at) =>
    race(at, async (round) => {
      const key = keyOf(at, `update-${round}`);
      const { etag } = await at.patient.put(key, nonce(at));
      // Some stores refuse a second write to a key within one second.
      if (round > 0) await sleep(at.clock, 1_100);
      return raceOnce({ ...at, key }, (body) => at.bucket.putIfMatch(key, body, etag));
    }),
  async "list after put"(at) {
    for (let round = 0; round < 5; round++) {
      const key = keyOf(at, `list/${round}`);
      await at.patient.put(key, nonce(at));
      const listed = (await at.patient.list(keyOf(at, "list/"))).map((one) => one.key);
      if (!listed.includes(key))
        return fail("a list does not contain an object that was just written");
    }
    return ok("a list contains an object that was just written");
  },
};

async function race(
  at: ProbeContext,
  run: (round: number) => Promise<"one" | "none" | { readonly fault: string }>,
): Promise<Verdict> {
  let clear = 0;
  for (let round = 0; round < triesMax && clear < raceRounds; round++) {
    const outcome = await run(round);
    if (typeof outcome === "object") return fail(outcome.fault);
    if (outcome === "one") clear += 1;
    else await pause(at);
  }
  return clear === raceRounds ? ok("of 32 at once, one wins") : unclear();
}

/** Tries a conditional write until its outcome is clear, by reading the stored content. */
async function settle(
  at: ProbeContext,
  name: string,
  body: Uint8Array,
  write: () => Promise<{ readonly status: string }>,
): Promise<"won" | "lost" | "unknown"> {
  for (let attempt = 0; attempt < triesMax; attempt++) {
    let isRefused = false;
    try {
      const { status } = await write();
      if (status === "created" || status === "written") return "won";
      isRefused = true;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    const found = await read(at, name);
    if (found && Buffer.compare(found.body, body) === 0) return "won"; // the answer was lost
    if (isRefused) return "lost";
    await pause(at);
  }
  return "unknown";
}

async function read({ patient, folder }: ProbeContext, name: string) {
  const got = await patient.get(folder + name);
  return got.status === "found" ? got : undefined;
}

async function removeAll({ patient, folder }: ProbeContext): Promise<Verdict> {
  // The keys are known, so they can be deleted without the right to list.
  const races = Array.from({ length: triesMax }, (_, round) => [
    `create-${round}`,
    `update-${round}`,
  ]);
  const lists = Array.from({ length: 5 }, (_, round) => `list/${round}`);
  for (const name of ["one", ...races.flat(), ...lists]) await patient.delete(folder + name);
  return ok("objects can be deleted");
}

async function judged(step: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "bucket_forbidden") return { state: "forbidden", detail: error.message };
    if (error.code === "bucket_unsupported" || error.code === "bucket_refused") {
      return fail(error.message);
    }
    throw error;
  }
}

const keyOf = ({ folder }: ProbeContext, name: string) => folder + name;
const nonce = ({ random }: ProbeContext): Uint8Array => Buffer.from(createId(random));
const pause = ({ clock, random }: ProbeContext) => sleep(clock, 100 + random.next() * 1_100);

const ok = (detail: string): Verdict => ({ state: "ok", detail });
const fail = (detail: string): Verdict => ({ state: "fail", detail });
const unclear = (): Verdict => ({ state: "unknown", detail: "no clear answer in several tries" });
const untried = (): Verdict => ({
  state: "unknown",
  detail: "not checked, because no object could be written",
});
