import { dirname } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/app-error.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { Random } from "../../base/random.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import { createSharedObject, type Bucket } from "../../bucket/index.ts";
import type { Paths } from "../../config/index.ts";
import { defaultsName, openCampaignFolder } from "./campaign-folder.ts";

const schema = z.object({
  /** The whole config.toml, or `_defaults.toml`. */
  text: z.string(),
  /** Starts at 1; every change increases it by one. */
  revision: z.int().min(1),
  by: z.string(),
  at: z.string(),
  /**
   * True if the campaign was removed. The object stays, so that revisions continue if it is created
   * again.
   */
  isRemoved: z.boolean().optional(),
});

/** The fleet's copy of a campaign's configuration: an object in the bucket. */
export type SharedConfig = z.infer<typeof schema>;

/** This machine's copy: the last version from the bucket, and the current text of the file. */
export interface LocalConfig {
  readonly text: string | undefined;
  /** The fleet's version on which the file is based; undefined if it was never shared. */
  readonly base: Pick<SharedConfig, "text" | "revision"> | undefined;
}

/** Whether a person changed the file of this machine since it was last in sync. */
export const isEditedHere = ({ text, base }: LocalConfig): boolean =>
  text !== undefined && text !== base?.text;

const configsPrefix = "campaigns/configs/";
export const sharedConfigKey = (name: string): string => `${configsPrefix}${name}.json`;

export interface SharedConfigsOptions {
  readonly paths: Paths;
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  /** A lock among the processes of the data folder. Absent if no other process writes there. */
  readonly lock?: ConfigLock | undefined;
}

/**
 * Runs a step while no other process changes the configurations of the data folder. Not reentrant.
 */
export type ConfigLock = <T>(step: () => Promise<T>) => Promise<T>;

export interface SharedConfigs {
  /** The first 1,000 names that were ever shared; `read` says whether one was removed. */
  list(): Promise<readonly string[]>;
  /** The current version in the bucket; undefined if it was never shared. */
  read(name: string): Promise<SharedConfig | undefined>;
  local(name: string): Promise<LocalConfig>;
  /**
   * Replaces the version `base`. Throws `campaign_config_changed` if the bucket has another one by
   * now. `change` may be called several times; a text that stays the same is not written.
   */
  change(name: string, how: ConfigChange): Promise<SharedConfig>;
  /**
   * Copies the bucket's version into the folder. Throws `campaign_config_edited` if the file was
   * edited here.
   */
  take(name: string, config: SharedConfig): Promise<void>;
  /**
   * Records that the folder's version was saved to the bucket. `before` is the text of the file
   * that was saved. If the file has a newer version or was edited since, it is left as it is.
   */
  accept(name: string, config: SharedConfig, before: string | undefined): Promise<void>;
  /**
   * Marks the bucket's version as removed. If the campaign is created again, on any machine, its
   * revision continues.
   */
  remove(name: string, by: string): Promise<void>;
  /**
   * Fetches versions that are older here than a revision. Returns whether there was anything to
   * fetch.
   */
  fetch(name: string, revision: number): Promise<boolean>;
}

export interface ConfigChange {
  readonly change: (text: string | undefined) => string | Promise<string>;
  /** Undefined: any version; `change` keeps the changes of others. 0: the object must not exist. */
  readonly baseRevision: number | undefined;
  readonly by: string;
}

export function openSharedConfigs(options: SharedConfigsOptions): SharedConfigs {
  const { paths, bucket, clock, random, lock = (step) => step() } = options;
  const folder = openCampaignFolder(paths);
  const session = createId(random);
  const object = (name: string) =>
    createSharedObject<unknown>({ bucket, key: sharedConfigKey(name), session, clock, random });
  const baseFile = (name: string) => paths.resolve("campaigns", ".shared", `${name}.json`);
  const readBase = async (name: string): Promise<SharedConfig | undefined> => {
    try {
      return schema.parse(JSON.parse(String(await readRegularFile(baseFile(name)))));
    } catch {
      return undefined; // never shared, or the file is damaged: then nothing is overwritten
    }
  };
  const local = async (name: string): Promise<LocalConfig> => {
    const text = await folder.readConfig(name).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "no_campaign") return undefined;
      throw error;
    });
    return { text: text === "" ? undefined : text, base: await readBase(name) };
  };
  const read = async (name: string) => present(check(await object(name).read(), name));
  const writeBase = async (name: string, config: SharedConfig): Promise<void> => {
    makeFolder(dirname(baseFile(name)), { mode: 0o700 });
    await writeFileAtomic(baseFile(name), `${JSON.stringify(config)}\n`);
  };
  const write = async (name: string, config: SharedConfig, here: LocalConfig): Promise<void> => {
    if (here.text !== config.text) await folder.writeConfig(name, config.text, { isOwn: true });
    await writeBase(name, config);
  };
  const take = (name: string, config: SharedConfig): Promise<void> =>
    lock(async () => {
      const here = await local(name);
      if (isEditedHere(here) && here.text !== config.text) throw editedHere(name, config);
      if ((here.base?.revision ?? 0) <= config.revision) await write(name, config, here);
    });
  return {
    async list() {
      const objects = await bucket.list(configsPrefix);
      return objects.map(({ key }) => key.slice(configsPrefix.length, -".json".length));
    },
    read,
    local,
    take,
    accept: (name, config, before) =>
      lock(async () => {
        const here = await local(name);
        const isEdited = isEditedHere(here) && here.text !== before && here.text !== config.text;
        const isNewer = (here.base?.revision ?? 0) > config.revision;
        if (!isEdited && !isNewer) await write(name, config, here);
      }),
    async remove(name, by) {
      if (await read(name)) {
        await object(name).change((value) => {
          const { revision } = check(value, name)!;
          const at = new Date(clock.nowMs()).toISOString();
          return { text: "", revision: revision + 1, by, at, isRemoved: true };
        });
      }
      await lock(async () => {
        const known = await readBase(name);
        // If the file is created again later, it counts as new to the fleet and is shared.
        if (known) await writeBase(name, { ...known, text: "" });
      });
    },
    async change(name, { change, baseRevision, by }) {
      const removed = (await readBase(name))?.revision ?? 0;
      const changed = await object(name).change(async (value) => {
        const stored = check(value, name);
        const now = present(stored);
        if (baseRevision !== undefined && (now?.revision ?? 0) !== baseRevision) {
          throw changedMeanwhile(name, now);
        }
        const text = await change(now?.text);
        if (now && text === now.text) return value;
        // Nodes fetch only newer revisions, also of a campaign that was removed and created again.
        const revision = Math.max(stored?.revision ?? 0, now ? 0 : removed) + 1;
        return { text, revision, by, at: new Date(clock.nowMs()).toISOString() };
      });
      return check(changed, name)!;
    },
    async fetch(name, revision) {
      const known = await readBase(name);
      if ((known?.revision ?? 0) >= revision) return false;
      const found = await read(name);
      if (found) await take(name, found);
      return found !== undefined;
    },
  };
}

const present = (config: SharedConfig | undefined): SharedConfig | undefined =>
  config?.isRemoved === true ? undefined : config;

function check(value: unknown, name: string): SharedConfig | undefined {
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const message = `${sharedConfigKey(name)} in the bucket is not the configuration of a campaign`;
  throw new AppError("corrupt", "campaign_config_object", message);
}

const changedMeanwhile = (name: string, now: SharedConfig | undefined) =>
  new AppError(
    "conflict",
    "campaign_config_changed",
    `the configuration of ${name} was changed by ${now?.by ?? "somebody"} meanwhile` +
      `${now ? ` (${now.at})` : ""}: nothing was saved`,
  );

const editedHere = (name: string, { by }: SharedConfig) =>
  new AppError(
    "conflict",
    "campaign_config_edited",
    `the configuration of ${name} was edited in a file of this machine, and changed by ${by} in the ` +
      `bucket: \`forager campaign edit ${name === defaultsName ? "--defaults" : name}\` shows the difference; the file was left as it is`,
  );
