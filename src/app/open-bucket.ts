import { AppError } from "../base/app-error.ts";
import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import { redactUrl } from "../base/redact.ts";
import type { Bucket } from "../bucket/index.ts";

/**
 * Opens a bucket by its address: `s3://BUCKET/PREFIX`, `dir:PATH` or `postgres://HOST/DATABASE`.
 * Nothing is proven by that: whoever coordinates through it calls `requireFitBucket` first.
 * Credentials of S3 come from the usual places (environment, profile, machine role).
 */
export async function openBucket(address: string): Promise<Bucket> {
  const [clock, random] = [systemClock, systemRandom];
  if (address.startsWith("dir:")) {
    const root = address.slice("dir:".length);
    if (root === "") throw badAddress(address, "a path is missing after dir:");
    const { openDirectoryBucket } =
      await import("../bucket/adapters/directory/directory-bucket.ts");
    return openDirectoryBucket({ root, clock, random });
  }
  if (address.startsWith("s3://")) {
    const place = parseS3(address);
    const { createS3Bucket } = await import("../bucket/adapters/s3/s3-bucket.ts");
    return createS3Bucket({ place, clock, random });
  }
  if (/^postgres(?:ql)?:\/\//.test(address)) {
    const url = parseUrl(address);
    const table = url.searchParams.get("table");
    url.searchParams.delete("table");
    const { openPostgresBucket } = await import("../bucket/adapters/postgres/postgres-bucket.ts");
    return openPostgresBucket({ url: url.href, ...(table !== null && { table }) });
  }
  throw badAddress(address, "it must start with s3://, dir: or postgres://");
}

const s3Settings = ["endpoint", "region", "pathStyle"];

function parseS3(address: string) {
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
    throw badAddress(address, "the name of the bucket is missing or not one");
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
