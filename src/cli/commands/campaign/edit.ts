import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  openCampaignConfigs,
  type CampaignConfigs,
  type EditedConfig,
  type SavedConfig,
} from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { diffExcerpt, lineDiff } from "../../../base/text/line-diff.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { defaultsName, openCampaignFolder, readUtf8 } from "../../../campaign/index.ts";
import { userName } from "../../../config/index.ts";
import type { Command, CommandOutcome, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { openInEditor } from "../company/parts/editor.ts";
import { campaignArgument, campaignOption, requireCampaignName } from "./parts/which-campaign.ts";

export const campaignEdit: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: [
    campaignOption,
    { flag: "--defaults", summary: "campaigns/_defaults.toml, for all campaigns" },
    { flag: "--from", value: "file", summary: "take the text of a file, without an editor", complete: "file" }, // prettier-ignore
    { flag: "--base", value: "id", summary: "save only over this version; a message of this command names it" }, // prettier-ignore
    { flag: "--yes", summary: "save without asking" },
  ],
  examples: [
    {
      line: "forager campaign edit austin",
      summary: "in $EDITOR; shows the difference, then asks",
    },
    { line: "forager campaign edit austin --from new.toml --yes", summary: "from a file" },
  ],
  details: [
    "The text is checked and the difference is shown before it is saved. If bucket.url is set, it is\n" +
      "the fleet's configuration, and every node fetches it. If somebody else saved meanwhile, nothing\n" +
      "is overwritten: you see the difference from their text, your text is kept in a file, and the message has\n" +
      "the command that saves it over theirs. It says --base, so it does not overwrite a third version.",
    "Exits 2 if the text is not valid, 1 if somebody else saved first or you answered no.",
  ],

  async run(context) {
    const { flags, out } = context;
    const isDefaults = flags["defaults"] === true;
    const name = isDefaults ? defaultsName : await requireCampaignName(context);
    await using configs = await openCampaignConfigs(context, `hand:${userName()}`);
    await using _state = await context.recordState(async () => ({ text: (await configs.read(name)).text })); // prettier-ignore
    const expected = textFlag(flags, "base");
    if (expected !== undefined && textFlag(flags, "from") === undefined) {
      throw usageError("--base is for a text from a file: give --from FILE too");
    }
    const base = await (expected === undefined ? configs.read(name) : configs.newest(name));
    const draft = await draftOf(context, base);
    try {
      if (expected !== undefined && expected !== idOf(base.text)) throw changedAgain(name);
      if (draft.text === base.text && !base.isEdited && base.revision !== 0) {
        out.result({ campaign: name, isSaved: false }, `${name} was not changed`);
        return await draft.discard();
      }
      await openCampaignFolder(context.paths).checkConfig(name, draft.text);
      out.note(diffText(base.basedOn, draft.text));
      const isSure = await context.confirm(`save this as the configuration of ${name}?`, {
        yes: flags["yes"] === true,
      });
      if (!isSure) {
        out.note(`nothing was saved; your text is kept in ${draft.file}`);
        return "failed";
      }
      printSaved(context, name, await configs.save(name, draft.text, base));
      return await draft.discard();
    } catch (error) {
      return await explain(error, { context, configs, name, draft, basedOn: base.basedOn });
    }
  },
};

interface Draft {
  readonly text: string;
  /** Not deleted if the text could not be saved. */
  readonly file: string;
  discard(): Promise<void>;
}

/** The text that the user saves in the editor, or the content of the --from file. */
async function draftOf({ flags, cwd }: SettingsContext, base: EditedConfig): Promise<Draft> {
  const from = textFlag(flags, "from");
  if (from !== undefined) {
    const file = resolve(cwd, from);
    const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      throw usageError(`${file} cannot be read (${error.code})`);
    });
    return {
      text: await asUsage(async () => readUtf8(file, bytes)),
      file,
      discard: async () => {},
    };
  }
  const folder = await mkdtemp(join(tmpdir(), "forager-campaign-"));
  const discard = () => rm(folder, { recursive: true, force: true });
  const file = join(folder, "config.toml");
  await writeFile(file, base.text, { mode: 0o600 });
  try {
    await openInEditor(file);
  } catch (error) {
    await discard();
    throw error;
  }
  const bytes = await readFile(file);
  return { text: await asUsage(async () => readUtf8(file, bytes)), file, discard };
}

interface Attempt {
  readonly context: SettingsContext;
  readonly configs: CampaignConfigs;
  readonly name: string;
  readonly draft: Draft;
  readonly basedOn: string;
}

/** The typed text is not lost: it stays in its file, and the message names the file. */
async function explain(error: unknown, attempt: Attempt): Promise<CommandOutcome> {
  const { context, configs, name, draft } = attempt;
  if (!(error instanceof AppError)) throw error;
  const over = (text: string) => `forager campaign edit ${name === defaultsName ? "--defaults" : name} --from ${draft.file} --base ${idOf(text)} --yes`; // prettier-ignore
  if (error.code === "campaign_config_changed") {
    const { text: theirs } = await configs.newest(name);
    context.out.note(`${error.message}\n${diffText(theirs, draft.text, "theirs", "yours")}`);
    context.out.note(
      `your text is kept in ${draft.file}: copy what you need from theirs, then \`${over(theirs)}\``,
    );
    return "failed";
  }
  const message = `${error.message}\nnothing was saved; your text is kept: \`${over(attempt.basedOn)}\``;
  if (error.kind === "invalid") throw usageError(message, { cause: error });
  throw new AppError(error.kind, error.code, message, { cause: error });
}

function printSaved({ out }: SettingsContext, name: string, { file, revision }: SavedConfig): void {
  const fleet = revision === undefined ? "" : `, and for the fleet (revision ${revision})`;
  const json = { campaign: name, isSaved: true, file, revision: revision ?? null };
  out.result(json, `saved ${file}${fleet}`);
}

/** Identifies a version of the text. */
const idOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

const changedAgain = (name: string) =>
  new AppError(
    "conflict",
    "campaign_config_changed",
    `the configuration of ${name} was changed again: nothing was saved`,
  );

const marks = { same: " ", del: "-", add: "+" } as const;

/** In the format of `diff -u`, but without line numbers. */
function diffText(before: string, after: string, from = "before", to = "after"): string {
  const lines = diffExcerpt(lineDiff(before, after));
  const shown = lines.map((line) => (line ? `${marks[line.kind]} ${line.text}` : "…"));
  return [`--- ${from}`, `+++ ${to}`, ...shown].join("\n");
}
