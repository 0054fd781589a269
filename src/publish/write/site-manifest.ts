import * as z from "zod";
import { AppError } from "../../base/app-error.ts";
import { siteFormat, siteModes, type SiteManifest } from "../site-format.ts";
import type { KeySealing } from "./seal.ts";

const download = z.looseObject({ parts: z.array(z.string()) });

/** The fields of a manifest that the next publish needs. The others are only compared. */
const manifestSchema = z.looseObject({
  format: z.number(),
  readableBy: z.number(),
  generation: z.int().min(1),
  at: z.string(),
  body: z.looseObject({
    mode: z.enum(siteModes),
    leftOut: z.looseObject({ mark: z.string().default(""), values: z.array(z.string()) }),
    campaigns: z.array(z.looseObject({ downloads: z.array(download) })),
    downloads: z.array(download),
    pages: z.array(z.tuple([z.string(), z.string()])),
    words: z.record(z.string(), z.string()),
    parts: z.record(z.string(), z.string()),
    files: z.record(z.string(), z.string()),
  }),
  retired: z.array(z.tuple([z.string(), z.number()])),
});
const sealedSchema = z.looseObject({ sealed: z.string() });
/** Outside of the seal too: what else a newer manifest has is not known. */
const versionSchema = z.looseObject({ format: z.number(), readableBy: z.number() });

export function manifestBytes(manifest: SiteManifest, sealing: KeySealing | undefined): Uint8Array {
  const text = JSON.stringify(manifest);
  if (!sealing) return Buffer.from(text);
  const sealed = Buffer.from(sealing.pack(text)).toString("base64");
  const { format, readableBy } = manifest;
  return Buffer.from(JSON.stringify({ format, readableBy, sealed }));
}

/**
 * Parses the manifest of a target. Throws `site_key` if no key decrypts it, and `site_unknown` if
 * the file is not a manifest, so that a foreign folder is not overwritten.
 */
export function readManifest(bytes: Uint8Array, keys: readonly KeySealing[]): SiteManifest {
  const outer = jsonOf(new TextDecoder().decode(bytes));
  const version = versionSchema.safeParse(outer);
  if (version.success && version.data.readableBy > siteFormat) {
    const message =
      "a newer version of Forager published this site: update Forager on this machine";
    throw new AppError("invalid", "site_newer", message);
  }
  const sealed = sealedSchema.safeParse(outer);
  const found = manifestSchema.safeParse(
    sealed.success ? jsonOf(openWith(Buffer.from(sealed.data.sealed, "base64"), keys)) : outer,
  );
  if (!found.success) {
    const message = "the manifest.json in the target is not from a site that Forager published: choose an empty folder or prefix"; // prettier-ignore
    throw new AppError("invalid", "site_unknown", message);
  }
  return found.data as unknown as SiteManifest;
}

function openWith(bytes: Uint8Array, keys: readonly KeySealing[]): string {
  for (const key of keys) {
    try {
      return key.unpack(bytes);
    } catch {
      // Try the next key.
    }
  }
  const message =
    "the site in the target is sealed with a key that this data folder does not have: publish from the machine " +
    "that made it, or replace it and its link with --rotate-key";
  throw new AppError("invalid", "site_key", message);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The names of all parts that a site uses. */
export function partsOf({ body }: Pick<SiteManifest, "body">): ReadonlySet<string> {
  return new Set(
    [
      ...body.pages.map(([, part]) => part),
      ...Object.values(body.words),
      ...Object.values(body.parts),
      ...body.downloads.flatMap(({ parts }) => parts),
      ...body.campaigns.flatMap(({ downloads }) => downloads.flatMap(({ parts }) => parts)),
    ].filter((part) => part !== ""),
  );
}

/** The paths of all files that a site uses, without the manifest. */
export const pathsOf = (manifest: Pick<SiteManifest, "body">): ReadonlySet<string> =>
  new Set([
    ...[...partsOf(manifest)].map((part) => `data/${part}`),
    ...Object.keys(manifest.body.files),
  ]);
