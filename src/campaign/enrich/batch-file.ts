import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { translateFileError, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { Paths } from "../../config/index.ts";
import { campaignNameRule, campaignNameWords } from "../campaign.ts";
import type { Batch, BatchLine } from "./batch.ts";

/**
 * `batches/<name>.jsonl`: the state of companies before a batch of visits. The first line describes
 * the batch, the others its companies.
 */
export interface BatchFiles {
  /** Undefined if no batch has this name. */
  read(name: string): Promise<Batch | undefined>;
  /** Throws `no_batch`, with the existing names. */
  load(name: string): Promise<Batch>;
  /** Replaces the whole file. */
  write(batch: Batch): Promise<void>;
}

export function openBatchFiles(paths: Pick<Paths, "resolve">): BatchFiles {
  const fileOf = (name: string) => {
    if (!campaignNameRule.test(name)) throw badName(name);
    return paths.resolve("batches", `${name}.jsonl`);
  };
  const read: BatchFiles["read"] = async (name) => {
    const file = fileOf(name);
    const bytes = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw translateFileError(error, file);
    });
    return bytes === undefined ? undefined : parse(file, name, bytes.toString());
  };
  return {
    read,
    async load(name) {
      const batch = await read(name);
      if (batch) return batch;
      const names = await readdir(paths.resolve("batches")).catch(() => []);
      throw noBatch(
        name,
        names.map((one) => one.replace(/\.jsonl$/, "")),
      );
    },
    async write({ name, at, lines }) {
      const file = fileOf(name);
      makeFolder(dirname(file), { mode: 0o700 });
      const all = [{ batch: name, at }, ...lines];
      await writeFileAtomic(file, all.map((line) => `${JSON.stringify(line)}\n`).join(""));
    },
  };
}

function parse(file: string, name: string, text: string): Batch {
  const [first, ...rest] = text.split("\n").filter((line) => line !== "");
  try {
    const { at } = JSON.parse(first ?? "") as { at: string };
    if (typeof at !== "string") throw new Error("its first line has no time");
    return { name, at, lines: rest.map((line) => JSON.parse(line) as BatchLine) };
  } catch (cause) {
    const message = `${file} is not a valid batch: move it away, and select the companies again`;
    throw new AppError("corrupt", "batch_file", message, { cause });
  }
}

const badName = (name: string) =>
  new AppError(
    "invalid",
    "batch_name",
    `'${name.slice(0, 80)}' is not a valid batch name: write ${campaignNameWords}`,
  );

const noBatch = (name: string, names: readonly string[]) =>
  new AppError(
    "invalid",
    "no_batch",
    `there is no batch ${name}` +
      (names.length > 0 ? `; there are ${[...names].sort().slice(-10).join(", ")}` : ""),
  );
