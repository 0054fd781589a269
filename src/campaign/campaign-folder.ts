import { constants, existsSync } from "node:fs";
import { lstat, readdir, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../base/app-error.ts";
import { translateFileError, writeFileAtomic } from "../base/atomic-file.ts";
import { openRegularFile, readRegularFile } from "../base/regular-file.ts";
import { makeFolder } from "../base/make-folder.ts";
import type { Paths } from "../config/index.ts";
import { isRemoteFile } from "../sources/index.ts";
import { campaignNameRule, campaignNameWords, type Campaign } from "./campaign.ts";
import type { CampaignFields } from "./config-layers.ts";
import { checkDefaults, resolveCampaign, type ResolvedCampaign } from "./parse-campaign.ts";
import type { Target } from "./plan.ts";
import { endingWords, endsLikeEnvironment } from "./resource-name.ts";
import { encodeTargetIndex } from "./target-index.ts";
import { campaignTemplate, type TemplateOptions } from "./template.ts";

/** The folder `campaigns/` of the data folder: one folder for each campaign. */
export interface CampaignFolder {
  /** Names of all that have a config.toml, in order. */
  list(): Promise<readonly string[]>;
  /** Throws `no_campaign`, or `campaign_config` with all that is wrong in its files. */
  load(name: string): Promise<Campaign>;
  /** The same, with where each value is from. */
  resolve(name: string): Promise<ResolvedCampaign>;
  /** The path of the config.toml that is read, or would be. */
  configFile(name: string): string;
  /** The text of its config.toml; throws `no_campaign`. Of `_defaults`: empty if there is none. */
  readConfig(name: string): Promise<string>;
  /** Throws `campaign_config` if a text cannot be the config.toml of a campaign, or `_defaults`. */
  checkConfig(name: string, text: string): Promise<Campaign | undefined>;
  /**
   * Writes a config.toml that was checked: the one that is read, or if `isOwn` that of the
   * environment. Answers its path.
   */
  writeConfig(name: string, text: string, options?: { readonly isOwn?: boolean }): Promise<string>;
  /** Writes a config.toml to begin with; throws `campaign_exists`. Answers its path. */
  create(name: string, options?: TemplateOptions): Promise<string>;
  /** Moves the campaign's folder aside. Answers where it is now, to move it back. */
  remove(name: string): Promise<string>;
  /** Writes the target index anew. Answers its path. */
  writeTargets(name: string, targets: readonly Target[]): Promise<string>;
  /**
   * Sets what is wanted of campaigns over what their files say, until it is taken away; files stay
   * as people wrote them. What makes no sense is told, and nothing of it is done.
   */
  want(campaigns: ReadonlyMap<string, CampaignFields>): Promise<CampaignsWanted>;
  /** Where the file of its source is; undefined: it names none. */
  sourceFile(campaign: Campaign): string | undefined;
}

export interface CampaignsWanted {
  readonly changed: readonly string[];
  readonly faults: readonly string[];
}

/** Instead of the name of a campaign: what all campaigns have in common, `campaigns/_defaults.toml`. */
export const defaultsName = "_defaults";

const configBytesMax = 2 ** 20;

/**
 * In an environment a campaign without a config.toml of its own has that of the folder around:
 * environments share configurations, and their tables `[env.NAME]` say how they differ.
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
    folderOf(name); // its name has to be one
    return join(within.resolve("campaigns", name), "config.toml");
  };
  /** The one that is read: the environment's own, or the one around it. */
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

  const wantedFileOf = (name: string) => join(folderOf(name), "wanted.json");
  const readDesired = async (name: string): Promise<CampaignFields> => {
    const text = await readRegularFile(wantedFileOf(name)).catch(() => "{}"); // usually there is none
    try {
      const wanted = JSON.parse(String(text)) as Readonly<Record<string, unknown>>;
      return new Map(Object.entries(wanted));
    } catch (cause) {
      const message = `${wantedFileOf(name)} is damaged: remove it, and it is written anew`;
      throw new AppError("corrupt", "campaign_wanted", message, { cause });
    }
  };
  const want = async (name: string, fields: CampaignFields): Promise<string | undefined> => {
    const before = await readDesired(name);
    if (isDeepStrictEqual(before, fields)) return undefined;
    if (fields.size === 0) await rm(wantedFileOf(name), { force: true });
    else {
      await resolve(name, { fields });
      const text = `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`;
      makeFolder(folderOf(name), { mode: 0o700 });
      await writeFileAtomic(wantedFileOf(name), text);
    }
    return `campaign ${name} follows ${fields.size} wanted fields`;
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
  /** What was given counts instead of what is on disk. */
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
    // A campaign that is good now has to stay so.
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
        const message = `there is a campaign ${name} already: edit ${configOf(name)}`;
        throw new AppError("conflict", "campaign_exists", message);
      }
      const text = campaignTemplate(options);
      await resolve(name, { text }); // what was asked for may be wrong: then nothing is made
      makeFolder(folderOf(name), { mode: 0o700 });
      await writeFileAtomic(file, text);
      return file;
    },
    async remove(name) {
      const folder = dirname(configOf(name));
      if (!(await exists(configOf(name)))) throw noCampaign(name, configOf(name), await list());
      // Its name begins with a dot, so it is no campaign any more.
      for (let number = 1; ; number++) {
        const aside = join(dirname(folder), `.removed-${name}-${number}`);
        if (await exists(aside)) continue;
        await rename(folder, aside);
        return aside;
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

/** A text in another encoding would lose its letters when it is saved. */
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

/** Whether anything has that name; `load` says what is wrong if it is not a file. */
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
    `'${name.slice(0, 80)}' is no name for a campaign: ${why}`,
  );

const tooLong = (file: string) =>
  new AppError("invalid", "campaign_config", `${file} is longer than ${configBytesMax} bytes`);

const noCampaign = (name: string, file: string, names: readonly string[]) =>
  new AppError(
    "invalid",
    "no_campaign",
    `there is no campaign ${name} (${file}): \`forager campaign new ${name}\` makes it` +
      (names.length > 0 ? `; there are ${names.slice(0, 10).join(", ")}` : ""),
  );
