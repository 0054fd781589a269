import { constants, existsSync } from "node:fs";
import { lstat, readdir, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../base/app-error.ts";
import { translateFileError, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { openRegularFile, readRegularFile } from "../../base/files/regular-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { Paths } from "../../config/index.ts";
import { isRemoteFile, boxOf } from "../../sources/index.ts";
import { campaignNameRule, campaignNameWords, type Campaign } from "../campaign.ts";
import type { CampaignFields } from "./config-layers.ts";
import { checkDefaults, resolveCampaign, type ResolvedCampaign } from "./parse-campaign.ts";
import type { Target } from "../plan.ts";
import { endingWords, endsLikeEnvironment } from "./resource-name.ts";
import { campaignTemplate, type TemplateOptions } from "./template.ts";
import { csvLine } from "../../records/index.ts";

/** The folder `campaigns/` of the data folder: one folder for each campaign. */
export interface CampaignFolder {
  /** The names of all campaigns that have a config.toml, sorted. */
  list(): Promise<readonly string[]>;
  /** Throws `no_campaign`, or `campaign_config` with all errors in its files. */
  load(name: string): Promise<Campaign>;
  /** Like `load`, and also returns the origin of each value. */
  resolve(name: string): Promise<ResolvedCampaign>;
  /** The path of the config.toml that is read, or would be. */
  configFile(name: string): string;
  /**
   * The text of the config.toml; throws `no_campaign`. For `_defaults`: empty if the file does not
   * exist.
   */
  readConfig(name: string): Promise<string>;
  /**
   * Throws `campaign_config` if the text is not valid as config.toml of the campaign, or as
   * `_defaults`.
   */
  checkConfig(name: string, text: string): Promise<Campaign | undefined>;
  /**
   * Writes a config.toml that was checked: the file that is read, or with `isOwn` that of the
   * environment. Returns its path.
   */
  writeConfig(name: string, text: string, options?: { readonly isOwn?: boolean }): Promise<string>;
  /** Writes an initial config.toml; throws `campaign_exists`. Returns its path. */
  create(name: string, options?: TemplateOptions): Promise<string>;
  /** Moves the campaign's folder away. Returns its new path, so that it can be moved back. */
  remove(name: string): Promise<string>;
  /** Replaces the target index. Returns its path. */
  writeTargets(name: string, targets: readonly Target[]): Promise<string>;
  /**
   * Overrides fields of campaigns with desired values of the fleet, until they are removed; the
   * files do not change. If a value is invalid, the result names it, and no value of that campaign
   * is applied.
   */
  want(campaigns: ReadonlyMap<string, CampaignFields>): Promise<CampaignFieldsResult>;
  /** The path of the campaign's places file; undefined if it has none. */
  sourceFile(campaign: Campaign): string | undefined;
}

export interface CampaignFieldsResult {
  readonly changed: readonly string[];
  readonly faults: readonly string[];
}

/**
 * Used instead of a campaign's name for the defaults of all campaigns, `campaigns/_defaults.toml`.
 */
export const defaultsName = "_defaults";

const configBytesMax = 2 ** 20;

/**
 * In an environment, a campaign without its own config.toml uses that of the enclosing data folder:
 * environments share configurations, and the tables `[env.NAME]` contain the differences.
 */
export function openCampaignFolder(
  paths: Pick<Paths, "resolve" | "base" | "environment">,
): CampaignFolder {
  const environment = paths.environment();
  const folders = environment === undefined ? [paths] : [paths, paths.base()];
  const folderOf = (name: string) => {
    if (!campaignNameRule.test(name)) throw badName(name);
    return paths.resolve("campaigns", name);
  };
  const fileIn = (within: Pick<Paths, "resolve">, name: string) => {
    if (name === defaultsName) return within.resolve("campaigns", "_defaults.toml");
    folderOf(name); // throws if the name is not valid
    return join(within.resolve("campaigns", name), "config.toml");
  };
  /** The file that is read: the environment's own, or the one of the enclosing folder. */
  const configOf = (name: string) => {
    const files = folders.map((within) => fileIn(within, name));
    return files.find((file) => existsSync(file)) ?? files[0]!;
  };
  const namesIn = async (within: Pick<Paths, "resolve">) => {
    const entries = await readdir(within.resolve("campaigns"), { withFileTypes: true }).catch(
      () => [],
    );
    const names = entries
      .filter((entry) => entry.isDirectory() && campaignNameRule.test(entry.name))
      .map(({ name }) => name);
    const has = await Promise.all(names.map((name) => exists(fileIn(within, name))));
    return names.filter((_, index) => has[index]);
  };
  const list = async () => [...new Set((await Promise.all(folders.map(namesIn))).flat())].sort();

  const desiredFileOf = (name: string) => join(folderOf(name), "wanted.json");
  const readDesired = async (name: string): Promise<CampaignFields> => {
    const text = await readRegularFile(desiredFileOf(name)).catch(() => "{}"); // usually there is none
    try {
      const wanted = JSON.parse(String(text)) as Readonly<Record<string, unknown>>;
      return new Map(Object.entries(wanted));
    } catch (cause) {
      const message = `${desiredFileOf(name)} is damaged: delete it, and it will be written again`;
      throw new AppError("corrupt", "campaign_wanted", message, { cause });
    }
  };
  const want = async (name: string, fields: CampaignFields): Promise<string | undefined> => {
    const before = await readDesired(name);
    if (isDeepStrictEqual(before, fields)) return undefined;
    if (fields.size === 0) await rm(desiredFileOf(name), { force: true });
    else {
      await resolve(name, { fields });
      const text = `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`;
      makeFolder(folderOf(name), { mode: 0o700 });
      await writeFileAtomic(desiredFileOf(name), text);
    }
    return `campaign ${name} has ${fields.size} fields set for the fleet`;
  };
  const readText = async (file: string): Promise<string | undefined> => {
    try {
      await using handle = await openRegularFile(file, constants.O_RDONLY);
      if ((await handle.stat()).size > configBytesMax) throw tooLong(file);
      return readUtf8(file, await handle.readFile());
    } catch (error) {
      if (!isMissing(error)) throw translateFileError(error, file);
      return undefined;
    }
  };
  const readConfig = async (name: string): Promise<string> => {
    const file = configOf(name);
    const text = await readText(file);
    if (text !== undefined) return text;
    if (name === defaultsName) return "";
    throw noCampaign(name, file, await list());
  };
  /** Given texts replace the files on disk. */
  const resolve = async (
    name: string,
    given: {
      readonly text?: string;
      readonly defaults?: string;
      readonly fields?: CampaignFields;
    } = {},
  ): Promise<ResolvedCampaign> => {
    const text = given.text ?? (await readConfig(name));
    const defaults = given.defaults ?? (await readConfig(defaultsName));
    return resolveCampaign(name, {
      texts: [
        ...(defaults === "" ? [] : [{ file: configOf(defaultsName), text: defaults }]),
        { file: configOf(name), text },
      ],
      environment,
      fields: given.fields ?? (await readDesired(name)),
    });
  };
  const checkConfig = async (name: string, text: string): Promise<Campaign | undefined> => {
    if (Buffer.byteLength(text) > configBytesMax) throw tooLong(configOf(name));
    if (name !== defaultsName) return (await resolve(name, { text })).campaign;
    checkDefaults(configOf(name), text);
    // A campaign that is valid now must stay valid.
    for (const one of await list()) {
      const isGood = await resolve(one).then(
        () => true,
        () => false,
      );
      if (isGood) await resolve(one, { defaults: text });
    }
    return undefined;
  };
  const writeConfig: CampaignFolder["writeConfig"] = async (name, text, { isOwn = false } = {}) => {
    const file = isOwn ? fileIn(paths, name) : configOf(name);
    makeFolder(dirname(file), { mode: 0o700 });
    await writeFileAtomic(file, text);
    return file;
  };

  return {
    list,
    load: async (name) => (await resolve(name)).campaign,
    resolve: (name) => resolve(name),
    configFile: configOf,
    readConfig,
    checkConfig,
    writeConfig,
    async want(campaigns) {
      const changed: string[] = [];
      const faults: string[] = [];
      for (const [name, fields] of campaigns) {
        try {
          const what = await want(name, fields);
          if (what !== undefined) changed.push(what);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          faults.push(error.message);
        }
      }
      return { changed, faults };
    },
    async create(name, options = {}) {
      const file = fileIn(paths, name);
      if (endsLikeEnvironment(name)) throw badName(name, endingWords);
      if (await exists(configOf(name))) {
        const message = `the campaign ${name} already exists: edit ${configOf(name)}`;
        throw new AppError("conflict", "campaign_exists", message);
      }
      const text = campaignTemplate(options);
      await resolve(name, { text }); // if an option is wrong, nothing is created
      makeFolder(folderOf(name), { mode: 0o700 });
      await writeFileAtomic(file, text);
      return file;
    },
    async remove(name) {
      const folder = dirname(configOf(name));
      if (!(await exists(configOf(name)))) throw noCampaign(name, configOf(name), await list());
      // The new name begins with a dot, so the folder is no longer a campaign.
      for (let number = 1; ; number++) {
        const target = join(dirname(folder), `.removed-${name}-${number}`);
        if (await exists(target)) continue;
        await rename(folder, target);
        return target;
      }
    },
    async writeTargets(name, targets) {
      const file = join(folderOf(name), "targets.csv");
      makeFolder(folderOf(name), { mode: 0o700 });
      await writeFileAtomic(file, encodeTargetIndex(targets));
      return file;
    },
    sourceFile({ name, sourceFile }) {
      if (sourceFile === undefined || isAbsolute(sourceFile)) return sourceFile;
      if (isRemoteFile(sourceFile)) return sourceFile;
      return join(dirname(configOf(name)), sourceFile);
    },
  };
}

/** A text in another encoding would lose letters when it is saved. */
export function readUtf8(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    const [first = ""] = new TextDecoder().decode(bytes).split("\ufffd", 1);
    const line = first.split("\n").length;
    const message = `${file}:${line}: this is not UTF-8: save the file in that encoding`;
    throw new AppError("invalid", "campaign_config", message, { cause });
  }
}

/** True for anything with that name; if it is not a file, `load` says so. */
const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

const isMissing = (error: unknown) =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

const badName = (name: string, why = `write ${campaignNameWords}`) =>
  new AppError(
    "invalid",
    "campaign_name",
    `'${name.slice(0, 80)}' is not a valid campaign name: ${why}`,
  );

const tooLong = (file: string) =>
  new AppError("invalid", "campaign_config", `${file} is longer than ${configBytesMax} bytes`);

const noCampaign = (name: string, file: string, names: readonly string[]) =>
  new AppError(
    "invalid",
    "no_campaign",
    `there is no campaign ${name} (${file}): \`forager campaign new ${name}\` creates it` +
      (names.length > 0 ? `; there are ${names.slice(0, 10).join(", ")}` : ""),
  );

const targetIndexColumns = [
  "tile",
  "phrase",
  "south",
  "west",
  "north",
  "east",
  "location",
] as const;

/** The target index as CSV (RFC 4180), for people and spreadsheets: `targets.csv`. */
export function encodeTargetIndex(targets: readonly Target[]): string {
  const lines = targets.map(({ tile, phrase, location }) => {
    const { south, west, north, east } = boxOf(tile);
    const edges = [south, west, north, east].map((degrees) => degrees.toFixed(1));
    return `${tile.id},${csvLine([phrase, ...edges, location])}`; // an id is trusted text
  });
  return [csvLine(targetIndexColumns), ...lines].join("");
}
