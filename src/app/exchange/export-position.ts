/**
 * What the exports of a name have delivered, for the whole fleet. Invariants:
 * - one export of a name runs at a time: it holds a lease in the bucket, and renews it;
 * - the position is written after the rows are delivered, by compare-and-swap. So after a crash in
 *   between, rows are exported again, and none is ever left out;
 * - without `bucket.url` the bucket is the folder `bucket` of the data folder, for its processes.
 */
import { rm } from "node:fs/promises";
import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import { systemRandom } from "../../base/random.ts";
import { readRegularFileSync } from "../../base/files/regular-file.ts";
import { createSerial } from "../../base/serial.ts";
import {
  createLease,
  createRetryingBucket,
  createSharedObject,
  isUnavailable,
  type Bucket,
  type BucketLease,
  type Envelope,
  type SharedCodec,
} from "../../bucket/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import {
  emptyExportState,
  exportStateLines,
  readExportState,
  type ExportState,
} from "../../records/index.ts";
import { locateBucket } from "../bucket/bucket-address.ts";
import { nodeName } from "../node/node-name.ts";
import { openBucket } from "../bucket/open-bucket.ts";

export interface ExportPositionOptions {
  readonly paths: Pick<Paths, "resolve" | "environment">;
  readonly settings: Pick<Settings, "bucket" | "node">;
  readonly clock: Clock;
  /** Ends waiting for another export of this name. */
  readonly signal: AbortSignal;
  /** Start again: everything counts as new. */
  readonly isRestarted?: boolean;
  /** Called if another export of this name is running, with its node. */
  readonly onWaiting?: (node: string) => void;
  readonly leaseTimes?: { readonly ttlMs: number; readonly marginMs: number };
}

export interface ExportPosition extends AsyncDisposable {
  readonly before: ExportState;
  /**
   * Throws `conflict` if another export of this name may be running now. Call it before rows are
   * sent.
   */
  check(): void;
  /** Like `check`, but also renews the lease. Call it immediately before a file is renamed. */
  confirm(): Promise<void>;
  /** Call it when the rows have been delivered. */
  commit(state: ExportState): Promise<void>;
}

/** After a crash the next export of this name waits until the lease has expired. */
const defaultTimes = { ttlMs: 20_000, marginMs: 5_000 };
const pollMs = 500;
/** Longer than any measured export. After that the caller may try again. */
const waitMsMax = 10 * 60_000;

/** Throws `invalid` for an invalid name, `corrupt` for a position that cannot be read. */
export async function openExportPosition(
  options: ExportPositionOptions,
  name: string,
  { isFeed = false }: { readonly isFeed?: boolean } = {},
): Promise<ExportPosition> {
  checkName(name);
  const { paths, settings, clock, signal, leaseTimes = defaultTimes } = options;
  // A feed of changes and an export of new rows may have the same name; their positions are
  // separate.
  const place = isFeed ? `feeds/${name}` : name;
  const environment = paths.environment();
  const address = await locateBucket(settings.bucket, paths);
  const bucket = await openBucket(address ?? `dir:${paths.resolve("bucket")}`);
  const random = systemRandom;
  const lease = createLease({
    bucket,
    name: `${isFeed ? "feed" : "export"}-${environment === undefined ? "" : `${environment}.`}${name}`,
    owner: nodeName(settings),
    clock,
    random,
    ...leaseTimes,
  });
  const close = async () => {
    if (lease.isHeld()) await lease.release().catch(() => {}); // it expires anyway
    await bucket.close();
  };
  try {
    await acquire(lease, options, name);
    const over = new AbortController();
    const turns = createSerial();
    const renew = () => turns.run(() => lease.renew());
    const renewing = keepRenewing(renew, { clock, everyMs: leaseTimes.ttlMs / 3, over });
    const position = await openPosition(
      createRetryingBucket({ bucket, clock, random, signal }),
      exportPositionKey(place, environment),
      { ...options, name: place },
    );
    const check = () => {
      if (!lease.isHeld()) throw takenOver(name);
    };
    return {
      before: position.before,
      check,
      async confirm() {
        if ((await renew()) === "lost") throw takenOver(name);
      },
      commit: (state) => position.commit(state),
      async [Symbol.asyncDispose]() {
        over.abort();
        await renewing;
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function acquire(
  lease: BucketLease,
  { clock, signal, onWaiting }: ExportPositionOptions,
  name: string,
): Promise<void> {
  const untilMs = clock.monotonicMs() + waitMsMax;
  let waitingFor: string | undefined;
  for (;;) {
    const attempt = await lease.acquire();
    if (attempt.status === "held") return;
    if (attempt.status === "taken" && attempt.by.owner !== waitingFor) {
      waitingFor = attempt.by.owner;
      onWaiting?.(waitingFor);
    }
    if (clock.monotonicMs() >= untilMs) {
      const words = `an export of the name ${name} has been running on ${waitingFor ?? "another machine"} for a long time: try again later`;
      throw new AppError("conflict", "export_running", words);
    }
    await sleep(clock, pollMs, signal);
  }
}

async function keepRenewing(
  renew: () => Promise<"held" | "lost">,
  how: { readonly clock: Clock; readonly everyMs: number; readonly over: AbortController },
): Promise<void> {
  const { clock, everyMs, over } = how;
  for (;;) {
    await sleep(clock, everyMs, over.signal).catch(() => {});
    if (over.signal.aborted) return;
    try {
      if ((await renew()) === "lost") return;
    } catch (error) {
      if (!isUnavailable(error)) return; // `check` throws when the lease has expired
    }
  }
}

interface PositionOptions extends Pick<ExportPositionOptions, "paths" | "clock" | "isRestarted"> {
  readonly name: string;
}

async function openPosition(bucket: Bucket, key: string, options: PositionOptions) {
  const { paths, clock, name, isRestarted = false } = options;
  const random = systemRandom;
  const object = createSharedObject<ExportState>({
    bucket,
    key,
    session: createId(random),
    clock,
    random,
    codec,
  });
  const known = await object.read();
  const file = exportStateFile(paths, name);
  return {
    before: isRestarted ? emptyExportState : withFile(known, readStateFile(file)),
    async commit(state: ExportState): Promise<void> {
      await object.change((now) => {
        if (now?.at !== known?.at) throw takenOver(name);
        return state;
      });
      await rm(file, { force: true });
    },
  };
}

/** For a version that stored positions in files: rows that this machine has exported count too. */
function withFile(known: ExportState | undefined, file: ExportState): ExportState {
  if (file.digests.size === 0) return known ?? file;
  return {
    at: known?.at ?? file.at,
    digests: new Map([...file.digests, ...(known?.digests ?? [])]),
  };
}

/** Where earlier versions stored a position. */
export const exportStateFile = (paths: Pick<Paths, "resolve">, name: string): string =>
  paths.resolve("exports", `${name}.jsonl`);

function readStateFile(file: string): ExportState {
  const bytes = readRegularFileSync(file);
  return bytes ? readExportState(bytes.toString(), file) : emptyExportState;
}

export const exportPositionKey = (name: string, environment?: string): string =>
  `exports/positions/${environment === undefined ? "" : `${environment}/`}${name}.jsonl`;

const codec: SharedCodec<ExportState> = {
  encode: ({ commits, value }) => Buffer.from([...exportStateLines(value, { commits })].join("")),
  decode(body, key): Envelope<ExportState> {
    const text = Buffer.from(body).toString();
    const value = readExportState(text, key);
    const head = JSON.parse(text.slice(0, text.indexOf("\n"))) as Partial<Envelope<ExportState>>;
    return { format: 1, commits: head.commits ?? {}, value };
  },
};

function checkName(name: string): void {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) return;
  const words = `'${name.slice(0, 80)}' is not a valid name of an export: use a-z, 0-9 and dashes, such as hubspot-weekly`;
  throw new AppError("invalid", "export_name", words);
}

const takenOver = (name: string) =>
  new AppError(
    "conflict",
    "export_taken_over",
    `another export of the name ${name} has started, because this one lost its lease in the bucket: run it again`,
  );
