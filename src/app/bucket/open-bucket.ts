import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { redactUrl } from "../../base/log/redact.ts";
import {
  createMeter,
  openLateBucket,
  type Bucket,
  type Meter,
  type OnRequest,
} from "../../bucket/index.ts";

/**
 * Opens a bucket by its address: `s3://BUCKET/PREFIX`, `dir:PATH` or `postgres://HOST/DATABASE`.
 * Does not check the store: code that coordinates through it calls `requireFitBucket` first. S3
 * credentials come from the usual places (environment, profile, machine role).
 */
export const openBucket = (address: string): Promise<Bucket> => openStore(address);

/** The parts of the program whose requests are counted separately. */
export type BucketCaller =
  | "command" // requests of a command itself
  | "connection" // tests of a new connection: how the store writes ETags, its clock
  | "fleet" // desired state, and requested log lines
  | "gossip" // peer discovery
  | "handlers" // reads and writes by handlers
  | "hub"
  | "publish" // the files of a published site
  | "ledger" // segments, checkpoints, and the head of the node with its heartbeat
  | "queue";

/**
 * One bucket for several parts of the program, with one object each. Closing any of them closes it.
 */
export type BucketFor = (caller: BucketCaller) => Bucket;

/** Counts the requests of this process to all buckets that the program opens. */
export const processMeter: Meter = createMeter();

/**
 * Opens a bucket that counts every request sent. `isLate`: if the store does not answer now, the
 * first call that reaches it opens it.
 */
export async function openMeteredBucket(
  address: string,
  { isLate = false }: { readonly isLate?: boolean } = {},
): Promise<BucketFor> {
  const open = () =>
    openStore(address, (operation, used) => processMeter.add("connection", operation, used));
  const bucket = await (isLate ? openLateBucket(open) : open());
  const isFree = !address.startsWith("s3:");
  return oneForEach((caller) => processMeter.meter(bucket, caller, { isFree }));
}

/** The ledger identifies a bucket by its object, so each caller always gets the same one. */
export function oneForEach(make: BucketFor): BucketFor {
  const made = new Map<BucketCaller, Bucket>();
  return (caller) => {
    const bucket = made.get(caller) ?? make(caller);
    made.set(caller, bucket);
    return bucket;
  };
}

async function openStore(address: string, onExtraRequest: OnRequest = () => {}): Promise<Bucket> {
  const [clock, random] = [systemClock, systemRandom];
  if (address.startsWith("dir:")) {
    const root = address.slice("dir:".length);
    if (root === "") throw badAddress(address, "a path is missing after dir:");
    const { openDirectoryBucket } =
      await import("../../bucket/adapters/directory/directory-bucket.ts");
    return openDirectoryBucket({ root, clock, random });
  }
  if (address.startsWith("s3://")) {
    const place = parseS3(address);
    const { createS3Bucket } = await import("../../bucket/adapters/s3/s3-bucket.ts");
    return createS3Bucket({ place, clock, random, onExtraRequest });
  }
  if (/^postgres(?:ql)?:\/\//.test(address)) {
    const url = parseUrl(address);
    const table = url.searchParams.get("table");
    url.searchParams.delete("table");
    const { openPostgresBucket } =
      await import("../../bucket/adapters/postgres/postgres-bucket.ts");
    return openPostgresBucket({ url: url.href, ...(table !== null && { table }) });
  }
  throw badAddress(address, "it must start with s3://, dir: or postgres://");
}

const s3Settings = ["endpoint", "region", "pathStyle"];

/** The parts of an `s3://…` address. */
export function parseS3(address: string) {
  const url = parseUrl(address);
  for (const name of url.searchParams.keys()) {
    if (!s3Settings.includes(name)) {
      throw badAddress(address, `there is no ${name}, only ${s3Settings.join(", ")}`);
    }
  }
  if (url.username !== "" || url.password !== "") {
    throw badAddress(
      address,
      "credentials do not belong in it: set AWS_PROFILE or AWS_ACCESS_KEY_ID",
    );
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)) {
    throw badAddress(address, "the name of the bucket is missing or not valid");
  }
  const pathStyle = url.searchParams.get("pathStyle");
  if (pathStyle !== null && pathStyle !== "true" && pathStyle !== "false") {
    throw badAddress(address, "pathStyle is true or false");
  }
  const endpoint = url.searchParams.get("endpoint") ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) {
    throw badAddress(address, "endpoint is a URL such as https://s3.example.com");
  }
  const path = decodeURIComponent(url.pathname).replace(/^\//, "").replace(/\/$/, "");
  return {
    bucket: url.hostname,
    prefix: path === "" ? "" : `${path}/`,
    endpoint,
    region: url.searchParams.get("region") ?? undefined,
    hasPathStyle: pathStyle === null ? undefined : pathStyle === "true",
  };
}

function parseUrl(address: string): URL {
  try {
    return new URL(address);
  } catch (cause) {
    throw badAddress(address, "it is not a URL", cause);
  }
}

const badAddress = (address: string, why: string, cause?: unknown) =>
  new AppError(
    "invalid",
    "bucket_address",
    `"${redactUrl(address, new Set(s3Settings))}" is not the address of a bucket: ${why}, ` +
      `for example s3://my-bucket/fleet?region=eu-west-1`,
    { cause },
  );
