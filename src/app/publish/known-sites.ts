import { existsSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readRegularFileSync } from "../../base/files/regular-file.ts";
import type { Paths } from "../../config/index.ts";
import { personalValues, siteModes } from "../../publish/index.ts";

/**
 * The sites published from this data folder, so that they can be published again and checked for
 * privacy.
 */
const knownSite = z.object({
  target: z.string(),
  mode: z.enum(siteModes),
  campaign: z.string().optional(),
  shown: z.array(z.enum(personalValues)).default([]),
  at: z.string(),
  companies: z.int(),
});
export type KnownSite = z.output<typeof knownSite>;

const sitesMax = 100;
const fileOf = (paths: Pick<Paths, "resolve">) => paths.resolve("publish", "sites.json");

export function readKnownSites(paths: Pick<Paths, "resolve">): readonly KnownSite[] {
  const file = fileOf(paths);
  if (!existsSync(file)) return []; // also false if the data folder is a file
  const bytes = readRegularFileSync(file);
  try {
    return z.array(knownSite).parse(JSON.parse(bytes?.toString() ?? "[]"));
  } catch {
    return []; // from another version: the next publish rewrites it
  }
}

export async function keepKnownSite(paths: Pick<Paths, "resolve">, site: KnownSite): Promise<void> {
  const others = readKnownSites(paths).filter(({ target }) => target !== site.target);
  makeFolder(dirname(fileOf(paths)), { mode: 0o700 });
  const text = `${JSON.stringify([site, ...others].slice(0, sitesMax), null, 2)}\n`;
  await writeFileAtomic(fileOf(paths), text, { mode: 0o600 });
}
