import { loadPublish, type PublishedFolder } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { personalValues, type PersonalValue, type SiteMode } from "../../../publish/index.ts";
import type { Command, CommandOutcome, SettingsContext } from "../../frame/command.ts";
import { listFlag, textFlag } from "../../options/flags.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { goesOnAfter } from "../../frame/until-stopped.ts";
import { queueOrNone } from "../queue/parts/queue-or-none.ts";

export const publish: Command = {
  needs: "settings",
  arguments: [{ name: "target", summary: "where to: dir:FOLDER or s3://BUCKET/PREFIX" }],
  options: [
    { flag: "--campaign", value: "name", summary: "only the companies, map and report of this campaign", complete: "campaign" }, // prettier-ignore
    { flag: "--private", summary: "readable only with access to the folder or bucket (default for s3://)" }, // prettier-ignore
    { flag: "--sealed", summary: "encrypted: only the printed link opens it, on any web host" },
    { flag: "--public", summary: "for everybody, without e-mails, phones, people and notes" },
    { flag: "--with", value: "what", summary: "with --public: show these all the same", choices: personalValues, isRepeated: true }, // prettier-ignore
    { flag: "--rotate-key", summary: "with --sealed: a new key and link; the old link opens nothing any more" }, // prettier-ignore
    { flag: "--watch", summary: "keep running, and publish again after each new report" },
    { flag: "--yes", summary: "do not ask before a public site is written" },
  ],
  examples: [
    { line: "forager publish dir:site --private", summary: "a folder that only you can read" },
    { line: "forager publish dir:site --sealed --campaign austin", summary: "for any web host; prints a link with the key" }, // prettier-ignore
    { line: "forager publish s3://my-bucket/site", summary: "checks first that nobody else can read the bucket" }, // prettier-ignore
    { line: "forager publish dir:site --public --with phones --yes", summary: "for everybody, with phone numbers" }, // prettier-ignore
  ],
  details: [
    "Writes the dashboard's pages with the data as static files: overview, reports, map, company search,\n" +
      "downloads. Nothing can be changed there. Only changed files are written; the site changes at once,\n" +
      "and the first publish after a day removes old files.",
    "Suppressed, forgotten and excluded companies are left out, in every mode. If the set of left-out companies or\n" +
      "the mode has changed, old files are removed immediately.",
    "Exits 3 if the bucket of a private site can be read without credentials: then nothing was uploaded.\n" +
      "Also if publish.afterCommand fails: then the site is published.",
  ],

  async run(context) {
    const { args, flags, out, cwd, clock, signal, paths } = context;
    const { siteAddress, reportTimes } = await loadPublish();
    const target = await asUsage(async () => siteAddress(args[0] ?? "", cwd));
    const mode = modeOf(context, target);
    const shown = (listFlag(flags, "with") ?? []) as readonly PersonalValue[];
    if (shown.length > 0 && mode !== "public")
      throw usageError("--with can only be used with --public");
    if (flags["rotateKey"] === true && mode !== "sealed") throw usageError("--rotate-key can only be used with --sealed"); // prettier-ignore
    const question = `everybody who has the address of ${target} can see its companies: publish?`;
    if (mode === "public" && !(await context.confirm(question, { yes: flags["yes"] === true }))) {
      out.note("nothing was published");
      return;
    }
    const campaign = textFlag(flags, "campaign");
    let isRotating = flags["rotateKey"] === true;
    let outcome = await publishOnce(context, { target, mode, shown, campaign, isRotating });
    if (flags["watch"] !== true) return outcome;
    let seen = await reportTimes(paths, campaign);
    isRotating = false;
    while (await goesOnAfter(clock, watchMs, signal)) {
      const now = await reportTimes(paths, campaign);
      if (now === seen) continue;
      try {
        outcome = await publishOnce(context, { target, mode, shown, campaign, isRotating });
      } catch (error) {
        if (!isPassing(error)) throw error;
        out.note(`error: ${error.message}; trying again`);
        continue;
      }
      seen = now;
      if (outcome !== undefined) return outcome;
    }
    return "stopped";
  },
};

/**
 * True for errors that a later attempt may not meet: the store did not answer, or another publish
 * finished first.
 */
const isPassing = (error: unknown): error is AppError =>
  error instanceof AppError && (error.kind === "unavailable" || error.kind === "conflict");

/** After a change, the site is updated within this time. */
const watchMs = 2_000;

/** Personal data must not be published by accident: the mode has to be given explicitly. */
function modeOf({ flags }: SettingsContext, target: string): SiteMode {
  const given = (["private", "sealed", "public"] as const).filter((mode) => flags[mode] === true);
  if (given.length > 1) throw usageError(`--${given.join(" and --")} cannot be combined`);
  const [mode] = given;
  if (mode !== undefined) return mode;
  if (target.startsWith("s3://")) return "private";
  throw usageError("who may read it? give --private (only you), --sealed (everybody with the link) or --public"); // prettier-ignore
}

interface Chosen {
  readonly target: string;
  readonly mode: SiteMode;
  readonly shown: readonly PersonalValue[];
  readonly campaign: string | undefined;
  readonly isRotating: boolean;
}

async function publishOnce(context: SettingsContext, chosen: Chosen): Promise<CommandOutcome> {
  const { out, progress, paths, settings, clock, signal } = context;
  const { publishFolder } = await loadPublish();
  await using reader = await openReaderOf(context);
  await using queue = await queueOrNone(context);
  const bar = progress.start({ label: "companies" });
  try {
    const published = await publishFolder({
      ...chosen,
      paths,
      settings,
      clock,
      signal,
      reader,
      queue,
      onCompanies: (count) => bar.advance(count),
      onUploads: (count) => bar.note(`${count} files written`),
    });
    bar.done();
    out.result(resultOf(published), describe(published));
    return published.hook?.isOk === false ? "partial" : undefined;
  } catch (error) {
    bar.done();
    if (!(error instanceof AppError && error.code === "site_is_public")) throw error;
    out.note(`error: ${error.message}`);
    return "partial";
  }
}

const resultOf = ({ body, proof, hook, ...published }: PublishedFolder) => ({
  ...published,
  mode: body.mode,
  companies: body.companies,
  leftOut: body.leftOut,
  proof: proof?.detail,
  hook: hook?.text,
});

function describe({
  status,
  target,
  written,
  removed,
  body,
  proof,
  fragment,
  hook,
}: PublishedFolder): string {
  // prettier-ignore
  const { companies, leftOut, mode } = body;
  const what = `${countOf(companies, "company")}, ${mode}`;
  const left = [
    ...(leftOut.suppressed > 0 ? [`${leftOut.suppressed} suppressed`] : []),
    ...(leftOut.forgotten ? [`${leftOut.forgotten} forgotten`] : []),
    ...(leftOut.excluded > 0 ? [`${leftOut.excluded} excluded`] : []),
    ...(leftOut.values.length > 0 ? [`all ${leftOut.values.join(", ")}`] : []),
  ];
  return [
    status === "unchanged"
      ? `${target} is up to date: ${what}`
      : `published to ${target}: ${what}; ${countOf(written, "file")} written, ${removed} old ones removed`,
    ...(left.length > 0 ? [`left out: ${left.join(", ")}`] : []),
    ...(proof ? [`private: ${proof.detail}`] : []),
    ...(fragment === undefined ? [] : [`link: the address of index.html with ${fragment}`]),
    ...(hook ? [`${hook.isOk ? "after it" : "warning"}: ${hook.text}`] : []),
  ].join("\n");
}
