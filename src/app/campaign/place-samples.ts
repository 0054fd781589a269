import { copyFile } from "node:fs/promises";
import { constants } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { docsPage } from "../../base/files/docs-page.ts";

/** Small files of places for trying sources, by the name after `sample:`. */
const samples: Readonly<Record<string, string>> = {
  osm: docsPage("samples/osm.json"),
  extract: docsPage("samples/osm.osm.pbf"),
  overture: docsPage("samples/overture.parquet"),
  file: docsPage("samples/places.csv"),
};

/**
 * Copies the file of `sample:NAME` into a folder, unless it exists. Undefined if the name is not of
 * this form.
 */
export async function placeSample(source: string, folder: string): Promise<string | undefined> {
  const [, name] = /^sample:(.*)$/s.exec(source) ?? [];
  if (name === undefined) return undefined;
  const file = Object.hasOwn(samples, name) ? samples[name] : undefined;
  if (file === undefined) {
    const names = Object.keys(samples).map((one) => `sample:${one}`);
    throw new AppError("invalid", "places_sample", `there is no '${source}': samples are ${names.join(", ")}`); // prettier-ignore
  }
  const to = join(folder, basename(file));
  await copyFile(file, to, constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return to;
}
