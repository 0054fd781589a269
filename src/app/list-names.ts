import { readdir } from "node:fs/promises";
import { openCampaignFolder } from "../campaign/index.ts";
import { openFleet, type OpenFleetOptions } from "./node/open-fleet.ts";

export interface ListNamesOptions extends Omit<OpenFleetOptions, "isReader" | "node"> {
  readonly sort: "company" | "person" | "campaign" | "node";
  /** The prefix of the names. */
  readonly start: string;
}

/** More names do not help shell completion. */
const namesMax = 1_000;

/**
 * Names for shell completion, sorted. Reads folders and not the index, because the shell waits at
 * every press of Tab.
 */
export async function listNames(options: ListNamesOptions): Promise<readonly string[]> {
  const names = await readNames(options);
  return names
    .filter((name) => name.startsWith(options.start))
    .toSorted()
    .slice(0, namesMax);
}

async function readNames(options: ListNamesOptions): Promise<readonly string[]> {
  const { sort, paths } = options;
  switch (sort) {
    case "company":
      return foldersIn(paths.resolve("companies"));
    case "person":
      return foldersIn(paths.resolve("people"));
    case "campaign":
      return openCampaignFolder(paths).list();
    case "node": {
      await using fleet = await openFleet({ ...options, isReader: true });
      const { roster } = await fleet.reach();
      return [...new Set(roster.map(({ label, node }) => label ?? node))];
    }
  }
}

const foldersIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name);
