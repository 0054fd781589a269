import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { createFileAtomic } from "../../base/files/atomic-file.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import {
  openCampaignFolder,
  suggestCampaign,
  type SuggestedCampaign,
  type TemplateOptions,
} from "../../campaign/index.ts";
import { createPaths } from "../../config/index.ts";
import { isRemoteFile, readPlaceFile, type FileRecord, type Place } from "../../sources/index.ts";
import { placeFileKind, type PlaceFileKind } from "../places/import-places.ts";

export interface InitFolderOptions {
  /** The folder for forager.toml. */
  readonly folder: string;
  /** Relative to `folder`, or absolute. */
  readonly data: string;
  readonly contact: string;
  /** Absent if this machine works alone. */
  readonly bucket?: string | undefined;
  readonly campaign: string;
  /** The absolute path of the places file. */
  readonly sourceFile?: string | undefined;
  readonly template: Omit<TemplateOptions, "sourceFile" | "politeness">;
}

export interface InitializedFolder {
  readonly settingsFile: string;
  readonly campaignFile: string;
}

/**
 * Writes forager.toml and a first campaign. A forager.toml with the same settings is kept, so the
 * command can be repeated after it was killed; one with other settings is an error.
 */
export async function initFolder(options: InitFolderOptions): Promise<InitializedFolder> {
  const { folder, data, campaign, sourceFile, template } = options;
  const settingsFile = join(folder, "forager.toml");
  const paths = createPaths(isAbsolute(data) ? data : join(folder, data));
  const campaigns = openCampaignFolder(paths);
  const at = paths.resolve("campaigns", campaign);
  const before = (await campaigns.list()).includes(campaign);
  await writeSettings(settingsFile, settingsText(options));
  const file = sourceFile === undefined ? {} : { sourceFile: pathFrom(at, sourceFile, folder) };
  const campaignFile = before
    ? join(at, "config.toml")
    : await campaigns.create(campaign, { ...template, ...file });
  return { settingsFile, campaignFile };
}

function settingsText({ data, contact, bucket }: InitFolderOptions): string {
  return `# Settings of forager in this folder and below. \`forager config show\` lists all of them.
data = ${JSON.stringify(data)}

[crawl]
# Told to every website that is visited, so that its owner can reach you.
contact = ${JSON.stringify(contact)}
${bucket === undefined ? "" : `\n[bucket]\n# Shared with the other machines of the fleet.\nurl = ${JSON.stringify(bucket)}\n`}`;
}

async function writeSettings(file: string, text: string): Promise<void> {
  if (await createFileAtomic(file, text, { mode: 0o600 })) return;
  if (String(await readRegularFile(file)) === text) return;
  throw new AppError(
    "conflict",
    "settings_exist",
    `there is a ${file} already, with other settings: edit it; \`forager campaign new NAME\` creates a campaign`,
  );
}

/** A relative path stays valid if the folder is moved as a whole. */
function pathFrom(campaignFolder: string, sourceFile: string, folder: string): string {
  if (isRemoteFile(sourceFile)) return sourceFile;
  const isInside = !relative(folder, sourceFile).startsWith("..");
  return isInside ? relative(campaignFolder, sourceFile) : sourceFile;
}

/** Enough to learn the area and categories of a file. */
const placesMax = 50_000;

/** Suggests a campaign for a file of places. Undefined if the places do not allow one. */
export async function suggestFor(
  file: string,
  signal: AbortSignal,
): Promise<SuggestedCampaign | undefined> {
  const kind = await placeFileKind(file);
  if (kind === "remote") return undefined; // may have millions of places: the user has to choose an area
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) {
    throw new AppError("invalid", "places_file", `${file} is not a file: check the path`);
  }
  const places: Place[] = [];
  for await (const batch of recordsOf(file, kind, signal)) {
    for (const { read } of batch) if (read.kind === "place") places.push(read.place);
    if (places.length >= placesMax) break;
  }
  return suggestCampaign(places);
}

async function* recordsOf(
  file: string,
  kind: PlaceFileKind,
  signal: AbortSignal,
): AsyncGenerator<readonly FileRecord[]> {
  if (kind === "parquet") {
    const { openParquetReader } = await import("../../sources/adapters/parquet/read-parquet.ts");
    await using reader = openParquetReader();
    yield* reader.places({ file, signal });
    return;
  }
  if (kind !== "extract") return yield* readPlaceFile({ file, signal });
  const { convertExtract } = await import("../../sources/adapters/osmium/convert-extract.ts");
  const folder = await mkdtemp(join(tmpdir(), "forager-init-"));
  try {
    const to = join(folder, "extract.geojsonseq");
    await convertExtract({ file, to, signal });
    yield* readPlaceFile({ file: to, signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
