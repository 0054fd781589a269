import { rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { usageError } from "../../base/usage-error.ts";
import { systemRandom } from "../../base/random.ts";
import {
  checkCampaignField,
  defaultsName,
  isEditedHere,
  openCampaignFolder,
  openSharedConfigs,
  type Campaign,
  type SharedConfigs,
  type TemplateOptions,
} from "../../campaign/index.ts";
import { isUnavailable } from "../../bucket/index.ts";
import { withTomlValue } from "../../config/index.ts";
import { allNodes, configKey, giveCommand } from "../../fleet/index.ts";
import { createConfigLock } from "../node/config-lock.ts";
import { hasFleetBucket } from "../bucket/fleet-bucket.ts";
import { openFleet, type OpenFleet, type OpenFleetOptions } from "../node/open-fleet.ts";

export type CampaignConfigsOptions = Omit<OpenFleetOptions, "isReader">;

/** A configuration for editing, and the version on which the edit is based. */
export interface EditedConfig {
  readonly text: string;
  /**
   * The revision of the fleet's configuration; 0 if the fleet has none. Undefined if there is no
   * fleet and only the file counts.
   */
  readonly revision: number | undefined;
  /** True if a user has changed the local file and the fleet does not have this change yet. */
  readonly isEdited: boolean;
  /** The text before that change. */
  readonly basedOn: string;
}

export interface SavedConfig {
  readonly file: string;
  /** Undefined if there is no fleet. */
  readonly revision: number | undefined;
  /** Undefined for `_defaults`. */
  readonly campaign: Campaign | undefined;
}

export interface CreatedConfig {
  readonly file: string;
  readonly isShared: boolean;
}

/**
 * Configurations of campaigns: files of the data folder, and with a bucket also objects that all
 * nodes of the fleet fetch. Every change is a compare-and-swap, so concurrent changes are never
 * lost.
 */
export interface CampaignConfigs extends AsyncDisposable {
  /** The text to edit: that of the fleet, or the local file if a user has changed it. */
  read(name: string): Promise<EditedConfig>;
  /** The version that a save would replace: that of the fleet, or the file. */
  newest(name: string): Promise<EditedConfig>;
  /** Throws `campaign_config_changed` if there is a version newer than `base`. */
  save(name: string, text: string, base: EditedConfig): Promise<SavedConfig>;
  /** Sets values, by key as TOML; concurrent changes of other keys are kept. */
  set(name: string, assignments: readonly string[]): Promise<SavedConfig>;
  /** Removes the configuration of the fleet; the file stays. Without a bucket this does nothing. */
  remove(name: string): Promise<void>;
  /**
   * Creates a campaign and shares it. If that fails, nothing is left behind. But if only the bucket
   * does not answer, the campaign stays, and the next command shares it.
   */
  create(name: string, template?: TemplateOptions): Promise<CreatedConfig>;
  /** Synchronizes file and bucket before work begins, if only one of them has changed. */
  share(name: string): Promise<void>;
}

export function openCampaignConfigs(options: CampaignConfigsOptions, by: string): CampaignConfigs {
  const { paths, clock } = options;
  const folder = openCampaignFolder(paths);
  const lock = createConfigLock({ paths, clock });
  let opened: Promise<OpenFleet> | undefined;
  const fleetOf = () => (opened ??= openFleet({ ...options, isReader: false }));
  const sharedOf = async (): Promise<SharedConfigs | undefined> => {
    if (!hasFleetBucket(options)) return undefined;
    const { bucket } = await fleetOf();
    return bucket && openSharedConfigs({ paths, bucket, clock, random: systemRandom, lock });
  };
  /** Tells nodes to fetch it, by gossip or by the desired state in the bucket. */
  const notify = async (name: string, revision: number) => {
    const { ledger, write, desired } = await fleetOf();
    const place = { ledger: { read: ledger.read, write }, desired, nodes: [] };
    const assignments = [{ key: configKey(name), value: revision }];
    await giveCommand(place, { scopes: [allNodes], assignments, by, atMs: clock.nowMs() });
  };

  const saveShared = async (
    shared: SharedConfigs,
    name: string,
    how: {
      readonly text: (now: string | undefined) => string;
      readonly baseRevision: number | undefined;
    },
  ): Promise<SavedConfig> => {
    let campaign: Campaign | undefined;
    const before = (await shared.local(name)).text;
    const saved = await shared.change(name, {
      async change(now) {
        const text = how.text(now);
        campaign = await folder.checkConfig(name, text);
        return text;
      },
      baseRevision: how.baseRevision,
      by,
    });
    await shared.accept(name, saved, before);
    await notify(name, saved.revision);
    return { file: folder.configFile(name), revision: saved.revision, campaign };
  };
  const look = async (shared: SharedConfigs, name: string) => {
    const [now, here] = [await shared.read(name), await shared.local(name)];
    const isEdited = isEditedHere(here) && here.text !== now?.text;
    const revision = now ? (here.base?.revision ?? 0) : 0;
    if (!isEdited) return { now, edited: undefined };
    const [text, basedOn] = [here.text!, here.base?.text ?? here.text!];
    return { now, edited: { text, revision, isEdited, basedOn } };
  };

  const newest = async (name: string): Promise<EditedConfig> => {
    const shared = await sharedOf();
    const now = await shared?.read(name);
    if (now) return { text: now.text, revision: now.revision, isEdited: false, basedOn: now.text };
    const text = await folder.readConfig(name);
    return { text, revision: shared ? 0 : undefined, isEdited: false, basedOn: text };
  };
  const read = async (name: string): Promise<EditedConfig> => {
    const shared = await sharedOf();
    const edited = shared && (await look(shared, name)).edited;
    return edited ?? (await newest(name));
  };
  const save = async (name: string, text: string, base: EditedConfig): Promise<SavedConfig> => {
    const shared = await sharedOf();
    if (shared) {
      return await saveShared(shared, name, { text: () => text, baseRevision: base.revision });
    }
    return await change(name, (now) => {
      if (now === base.basedOn) return text;
      const words = `the file of ${name} was changed meanwhile: nothing was saved`;
      throw new AppError("conflict", "campaign_config_changed", words);
    });
  };
  /** Changes the file, if there is no fleet. */
  const change = (name: string, how: (now: string) => string): Promise<SavedConfig> =>
    lock(async () => {
      const text = how(await folder.readConfig(name));
      const campaign = await folder.checkConfig(name, text);
      return { file: await folder.writeConfig(name, text), revision: undefined, campaign };
    });

  const share = async (name: string): Promise<void> => {
    const shared = await sharedOf();
    if (!shared) return;
    for (const one of [defaultsName, name]) {
      const { now, edited } = await look(shared, one);
      if (edited) await save(one, edited.text, edited);
      else if (now) await shared.take(one, now);
    }
  };

  return {
    read,
    save,
    newest,
    async set(name, assignments) {
      const changes = assignments.map(parseAssignment);
      const changed = (text: string) => changes.reduce((all, change) => change(all), text);
      const shared = await sharedOf();
      if (!shared) return await change(name, changed);
      const base = await read(name);
      if (base.isEdited) return await save(name, changed(base.text), base);
      const text = (now: string | undefined) => changed(now ?? base.text);
      return await saveShared(shared, name, { text, baseRevision: undefined });
    },
    async remove(name) {
      await (await sharedOf())?.remove(name, by);
    },
    async create(name, template) {
      const file = await folder.create(name, template);
      try {
        await share(name);
        return { file, isShared: true };
      } catch (error) {
        if (isUnavailable(error)) return { file, isShared: false };
        await rm(file, { force: true });
        // Keeps a folder into which the user has already put a file of places.
        await rmdir(dirname(file)).catch(() => {});
        throw error;
      }
    },
    share,
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}

/**
 * Parses assignments such as `politeness.delayMs=3000`, `phrases=["plumber"]`,
 * `env.test.proximityKm=2` into an edit of the text.
 */
function parseAssignment(words: string): (text: string) => string {
  const [, key, raw] = /^([^=]+)=(.*)$/s.exec(words) ?? [];
  if (key === undefined || raw === undefined) {
    throw usageError(
      `'${words.slice(0, 80)}' is not an assignment: write KEY=VALUE, such as proximityKm=20`,
    );
  }
  const value = readValue(raw);
  const fault = checkCampaignField(key.replace(/^env\.\w+\./, ""), value);
  if (fault !== undefined) throw usageError(fault);
  if (typeof value === "object" && !isPlainList(value)) {
    throw usageError(`${key} has tables inside: change it with \`forager campaign edit\``);
  }
  const written = JSON.stringify(value);
  const path = key.split(".");
  return (text) => withTomlValue(text, { path, written, edit: "forager campaign edit" });
}

function readValue(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return raw; // a single word needs no quotes
  }
}

const isPlainList = (value: unknown) =>
  Array.isArray(value) && value.every((one) => typeof one !== "object");
