/**
 * A user who may write campaigns, but not administer the server, must not use one to read other
 * files of the server or to send requests to any server. So only an administrator sets
 * `sources.file` to a path outside of the campaign's folder, or `sources.overpass.url`. All nodes of
 * the fleet get a configuration, so the tables of every environment are checked.
 */
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { readLayers, withFields, type CampaignFolder } from "../../campaign/index.ts";
import type { Assignment } from "../../fleet/index.ts";
import { isRemoteFile } from "../../sources/index.ts";

type Folder = Pick<CampaignFolder, "configFile" | "readConfig">;

/** Throws `campaign_source_outside` for a text. Values set by an administrator may stay. */
export async function refuseOutside(folder: Folder, name: string, text: string): Promise<void> {
  const wanted = outsideOfText(folder, name, text);
  if (wanted.length === 0) return;
  const present = await folder.readConfig(name).catch(notReadable);
  const known = new Set(present === undefined ? [] : outsideOfText(folder, name, present));
  refuse(wanted.find((one) => !known.has(one)));
}

/** Throws `campaign_source_outside` for values that a command sets for the fleet. */
export function refuseAssignedOutside(folder: Folder, assignments: readonly Assignment[]): void {
  for (const { key, value } of assignments) {
    const [kind, name = "", ...field] = key.split(".");
    if (kind !== "campaign" || value === null) continue;
    const root = withFields({}, new Map([[field.join("."), value]]));
    refuse(outsideOf(dirname(folder.configFile(name)), root)[0]);
  }
}

function refuse(added: string | undefined): void {
  if (added === undefined) return;
  throw new AppError(
    "invalid",
    "campaign_source_outside",
    `only an administrator may set ${added}: put the file into the folder of the campaign, or ask one`,
  );
}

function outsideOfText(folder: Folder, name: string, text: string): readonly string[] {
  const file = folder.configFile(name);
  const { layers, unused } = readLayers([{ file, text }], undefined);
  return [...layers, ...unused].flatMap(({ root }) => outsideOf(dirname(file), root));
}

function outsideOf(folder: string, root: Readonly<Record<string, unknown>>): readonly string[] {
  const file = valueAt(root, "sources", "file");
  const url = valueAt(root, "sources", "overpass", "url");
  return [
    ...(typeof file === "string" && !isInside(folder, file) ? [`sources.file to ${file}`] : []),
    ...(typeof url === "string" ? [`sources.overpass.url to ${url}`] : []),
  ];
}

const valueAt = (root: unknown, ...path: readonly string[]): unknown =>
  path.reduce(
    (value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key],
    root,
  );

function isInside(folder: string, file: string): boolean {
  if (isAbsolute(file) || isRemoteFile(file)) return false;
  const way = relative(folder, join(folder, file));
  return way !== ".." && !way.startsWith(`..${sep}`);
}

function notReadable(error: unknown): undefined {
  if (error instanceof AppError) return undefined;
  throw error;
}
