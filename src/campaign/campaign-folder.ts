import { constants } from "node:fs";
import { lstat, readdir, rename, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../base/app-error.ts";
import { translateFileError, writeFileAtomic } from "../base/atomic-file.ts";
import { openRegularFile, readRegularFile } from "../base/regular-file.ts";
import { makeFolder } from "../base/make-folder.ts";
import type { Paths } from "../config/index.ts";
import { isRemoteFile } from "../sources/index.ts";
import { campaignNameRule, campaignNameWords, type Campaign } from "./campaign.ts";
import { parseCampaign, type CampaignFields } from "./parse-campaign.ts";
import type { Target } from "./plan.ts";
import { encodeTargetIndex } from "./target-index.ts";
import { campaignTemplate, type TemplateOptions } from "./template.ts";

/** The folder `campaigns/` of the data folder: one folder for each campaign. */
export interface CampaignFolder {
  /** Names of all that have a config.toml, in order. */
  list(): Promise<readonly string[]>;
  /** Throws `no_campaign`, or `campaign_config` with all that is wrong in its file. */
  load(name: string): Promise<Campaign>;
  /** The text of its config.toml; throws `no_campaign`. */
  readConfig(name: string): Promise<string>;
  /** Checks a config.toml as `load` does, and replaces the one that is there unless `isDryRun`. */
  saveConfig(
    name: string,
    text: string,
    options?: { readonly isDryRun?: boolean },
  ): Promise<Campaign>;
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

const configBytesMax = 2 ** 20;

export function openCampaignFolder(paths: Pick<Paths, "resolve">): CampaignFolder {
  const folderOf = (name: string) => {
    if (!campaignNameRule.test(name)) throw badName(name);
    return paths.resolve("campaigns", name);
  };
  const configOf = (name: string) => join(folderOf(name), "config.toml");
  const list = async () => {
    const entries = await readdir(paths.resolve("campaigns"), { withFileTypes: true }).catch(
      () => [],
    );
    const names = entries
      .filter((entry) => entry.isDirectory() && campaignNameRule.test(entry.name))
      .map(({ name }) => name);
    const has = await Promise.all(names.map((name) => exists(configOf(name))));
    return names.filter((_, index) => has[index]).sort();
  };

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
      await load(name, fields);
      const text = `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`;
      await writeFileAtomic(wantedFileOf(name), text);
    }
    return `campaign ${name} follows ${fields.size} wanted fields`;
  };
  const readConfig = async (name: string): Promise<string> => {
    const file = configOf(name);
    let bytes: Uint8Array;
    try {
      await using handle = await openRegularFile(file, constants.O_RDONLY);
      if ((await handle.stat()).size > configBytesMax) throw tooLong(file);
      bytes = await handle.readFile();
    } catch (error) {
      if (!isMissing(error)) throw translateFileError(error, file);
      throw noCampaign(name, file, await list());
    }
    return new TextDecoder().decode(bytes);
  };
  const load = async (name: string, fields?: CampaignFields): Promise<Campaign> => {
    const text = await readConfig(name);
    return parseCampaign(name, configOf(name), text, fields ?? (await readDesired(name)));
  };

  return {
    list,
    load: (name) => load(name),
    readConfig,
    async saveConfig(name, text, { isDryRun = false } = {}) {
      await readConfig(name); // there has to be one
      if (Buffer.byteLength(text) > configBytesMax) throw tooLong(configOf(name));
      const campaign = parseCampaign(name, configOf(name), text, await readDesired(name));
      if (!isDryRun) await writeFileAtomic(configOf(name), text);
      return campaign;
    },
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
      const file = configOf(name);
      if (await exists(file)) {
        const message = `there is a campaign ${name} already: edit ${file}`;
        throw new AppError("conflict", "campaign_exists", message);
      }
      const text = campaignTemplate(options);
      parseCampaign(name, file, text); // what was asked for may be wrong: then nothing is made
      makeFolder(folderOf(name), { mode: 0o700 });
      await writeFileAtomic(file, text);
      return file;
    },
    async remove(name) {
      const folder = folderOf(name);
      if (!(await exists(configOf(name)))) throw noCampaign(name, configOf(name), await list());
      // Its name begins with a dot, so it is no campaign any more.
      for (let number = 1; ; number++) {
        const aside = paths.resolve("campaigns", `.removed-${name}-${number}`);
        if (await exists(aside)) continue;
        await rename(folder, aside);
        return aside;
      }
    },
    async writeTargets(name, targets) {
      const file = join(folderOf(name), "targets.csv");
      await writeFileAtomic(file, encodeTargetIndex(targets));
      return file;
    },
    sourceFile({ name, sourceFile }) {
      if (sourceFile === undefined || isAbsolute(sourceFile)) return sourceFile;
      if (isRemoteFile(sourceFile)) return sourceFile;
      return join(folderOf(name), sourceFile);
    },
  };
}

/** Whether anything has that name; `load` says what is wrong if it is not a file. */
const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

const isMissing = (error: unknown) =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

const badName = (name: string) =>
  new AppError(
    "invalid",
    "campaign_name",
    `'${name.slice(0, 80)}' is no name for a campaign: write ${campaignNameWords}`,
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
