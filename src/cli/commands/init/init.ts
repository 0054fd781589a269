import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { loadDoctor, loadInit, type NamedFinding } from "../../../app/index.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import {
  campaignNameRule,
  campaignNameWords,
  type SuggestedCampaign,
  type TemplateOptions,
} from "../../../campaign/index.ts";
import { addressFault, createPaths, secretForms } from "../../../config/index.ts";
import { isRemoteFile } from "../../../sources/index.ts";
import type { Command, CommandOutcome, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { campaignOptions, templateOf } from "../campaign/parts/template-options.ts";

export const init: Command = {
  needs: "settings",
  arguments: [
    {
      name: "name",
      summary: "name of the first campaign (default: that of its town)",
      isOptional: true,
    },
  ],
  options: [
    { flag: "--contact", value: "contact", summary: "your e-mail address or page, sent to every site", setting: "crawl.contact" }, // prettier-ignore
    { flag: "--bucket", value: "address", summary: "the bucket shared with other machines: s3://BUCKET/PREFIX, postgres://HOST/DATABASE or dir:PATH", setting: "bucket.url" }, // prettier-ignore
    ...campaignOptions,
  ],
  examples: [
    { line: "forager init", summary: "answer four questions" },
    {
      line: "forager init --contact you@example.org --source sample:osm",
      summary: "with a small file of OpenStreetMap; also sample:overture and sample:file",
    },
    {
      line: "forager init --contact you@example.org --source places.csv",
      summary: "no questions: phrases and area are taken from the file",
    },
    {
      line: "forager init austin --contact you@example.org --source places.csv --phrase plumber --location 'Austin, TX'",
      summary: "with a campaign of your own",
    },
  ],
  details: [
    "Writes forager.toml and a first campaign in this folder, checks the machine as `forager doctor`\n" +
      "does, and ends with the command to run next. Data goes into this folder unless --data names\n" +
      "another. On a terminal it asks for values without a flag.",
    "Without --phrase and --location, both are chosen from the file of places: its most frequent\n" +
      "categories, and the area where most of its places are. Edit the config.toml to change them.\n" +
      "If its places have no categories, the campaign looks for plumbers, and init says so.",
    "Sources: OpenStreetMap as a saved answer of an Overpass server or an extract (.osm.pbf), Overture and\n" +
      "Foursquare as Parquet (a file, or its https://… or s3://… address), or a file of your own (CSV, JSON\n" +
      `lines, GeoJSON). ${docsPage("places.md")} describes each.`,
    "It can be repeated. A forager.toml with other settings is never replaced. Exit code 1 when a check\n" +
      "of the machine fails.",
  ],

  async run(context) {
    const answers = await askAll(context);
    const { cwd, flags, signal } = context;
    const { initFolder, placeSample, suggestFor } = await loadInit();
    const { source } = answers;
    const sourceFile =
      source === undefined || isRemoteFile(source)
        ? source
        : ((await asUsage(() => placeSample(source, cwd))) ?? resolve(cwd, source));
    const suggested =
      sourceFile === undefined ? undefined : await asUsage(() => suggestFor(sourceFile, signal));
    const template = withSuggested(templateOf(flags), suggested);
    const name = nameOf(context.args[0], template);
    const made = await asUsage(() =>
      initFolder({ folder: cwd, ...answers, campaign: name, sourceFile, template }),
    );
    if (suggested?.phrases.length === 0 && template.phrases === undefined) {
      const set = `forager campaign set ${name} 'phrases=["…"]'`;
      context.out.note(
        `the places of ${source} have no categories, so ${name} looks for an example, plumber: \`${set}\``,
      );
    }
    noteEarlierData(context, resolve(cwd, answers.data));
    return await checkAndReport(context, { ...made, name, hasSource: sourceFile !== undefined });
  },
};

/**
 * Commands in this folder used another data folder until now. Tells the user where the earlier data
 * is.
 */
function noteEarlierData({ paths, out }: SettingsContext, data: string): void {
  const before = paths.root();
  if (before === data || !existsSync(join(before, "ledger"))) return;
  out.note(
    `the data gathered so far stays in ${before}: \`forager company list --data ${before}\``,
  );
}

interface Answers {
  readonly contact: string;
  readonly data: string;
  readonly source: string | undefined;
  readonly bucket: string | undefined;
}

const isContact = (text: string) => /^(?:[^\s@]+@[^\s@]+|https?:\/\/\S+)$/u.test(text);

/** Takes values from the flags, and asks the user for the others. */
async function askAll(context: SettingsContext): Promise<Answers> {
  const { ask, flags, settings, settingFlags } = context;
  const given = (key: string) => {
    const value = settingFlags[key]?.value;
    return typeof value === "string" ? value : undefined;
  };
  const contact =
    given("crawl.contact") ??
    settings.crawl.contact ??
    (await ask("1/4 Your e-mail address or page, sent to every website that is visited", {}));
  if (contact === undefined) {
    throw usageError("not a terminal: pass --contact you@example.org");
  }
  if (!isContact(contact)) {
    throw usageError(
      `'${contact}' is neither an e-mail address nor a URL: site owners could not reach you`,
    );
  }
  const data = given("data") ?? (await ask("2/4 Folder for all data", { suggested: "." })) ?? ".";
  const source =
    textFlag(flags, "source") ??
    (await ask("3/4 Places: a file (your own CSV, JSON lines or GeoJSON; OpenStreetMap: .osm.pbf; Overture: .parquet), or sample:osm, sample:overture, sample:file to try one; empty: none yet", { suggested: "" })); // prettier-ignore
  const bucket =
    given("bucket.url") ??
    (await ask("4/4 Bucket shared with other machines (s3://…, postgres://…); empty: only this machine", { suggested: "" })); // prettier-ignore
  const fault = bucket ? addressFault(bucket) : undefined;
  if (fault !== undefined) {
    throw usageError(
      `the address of the bucket ${fault}` +
        (fault.includes("password")
          ? `: leave it out of the address, and set bucket.password = ${secretForms} in forager.toml, or FORAGER_BUCKET_PASSWORD; nothing was written`
          : "; nothing was written"),
    );
  }
  return { contact, data, source: source || undefined, bucket: bucket || undefined };
}

/** Flags override what the file suggests. */
const withSuggested = (
  template: TemplateOptions,
  suggested: SuggestedCampaign | undefined,
): TemplateOptions => ({
  ...(suggested && suggested.phrases.length > 0 && { phrases: suggested.phrases }),
  ...(suggested &&
    template.locations === undefined && {
      locations: [suggested.location],
      proximityKm: suggested.proximityKm,
    }),
  ...template,
});

function nameOf(given: string | undefined, { locations = [] }: TemplateOptions): string {
  if (given !== undefined) {
    if (campaignNameRule.test(given)) return given;
    throw usageError(`'${given}' is not a valid campaign name: write ${campaignNameWords}`);
  }
  const [town = ""] = (locations[0]?.name ?? "").split(",");
  const name = town
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-$/, "");
  return name === "" ? "first" : name;
}

interface Made {
  readonly settingsFile: string;
  readonly campaignFile: string;
  readonly name: string;
  readonly hasSource: boolean;
}

async function checkAndReport(context: SettingsContext, made: Made): Promise<CommandOutcome> {
  const { out, cwd, reload } = context;
  const { settingsFile, campaignFile, name, hasSource } = made;
  const loaded = await reload();
  const { settings } = loaded;
  const paths = createPaths(settings.data);
  const { runChecks } = await loadDoctor();
  const checks = await runChecks({ ...context, settings, loaded, paths });
  const next = `forager campaign ${hasSource ? "run" : "plan"} ${name}`;
  const value = { settings: settingsFile, campaign: name, config: campaignFile, checks, next };
  out.result(value, () =>
    [
      `wrote ${relative(cwd, settingsFile)} and ${relative(cwd, campaignFile)}`,
      ...checks.filter(({ state }) => state !== "ok").map(checkLine),
      `${checks.filter(({ state }) => state === "ok").length} of ${checks.length} checks of this machine passed`,
      ...(hasSource ? [] : [`name a file of places under [sources] of the campaign, then run it`]),
      `next: ${next}`,
    ].join("\n"),
  );
  return checks.some(({ state }) => state === "fail") ? "failed" : undefined;
}

const checkLine = ({ check, state, detail, advice }: NamedFinding): string =>
  `${state}: ${check}: ${detail}${advice === undefined ? "" : ` - ${advice}`}`;
