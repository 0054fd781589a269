import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "../../src/base/app-error.ts";
import { nearest } from "../../src/base/text/nearest.ts";
import type { Bench } from "./bench.ts";

const suffix = ".bench.ts";

/** Which benches a folder holds: one for each file `<name>.bench.ts`, in alphabetical order. */
export function benchNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length))
    .sort();
}

export async function loadBench(folder: string, name: string): Promise<Bench> {
  const names = benchNames(folder);
  if (!names.includes(name)) throw unknownBench(name, names);
  const file = join(folder, `${name}${suffix}`);
  const { bench } = (await import(pathToFileURL(file).href)) as { bench?: Bench };
  if (bench?.name !== name) {
    throw new AppError(
      "invalid",
      "bench_misnamed",
      `${file} must export \`bench\` with the name "${name}", not "${bench?.name}"`,
    );
  }
  return bench;
}

function unknownBench(name: string, names: readonly string[]): AppError {
  const meant = nearest(name, names);
  return new AppError(
    "invalid",
    "bench_unknown",
    `there is no bench "${name}"` +
      (meant ? `; did you mean "${meant}"?` : "; `npm run bench -- list` names them all"),
  );
}
