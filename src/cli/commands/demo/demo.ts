import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, sep } from "node:path";
import { docsPage } from "../../../base/files/docs-page.ts";
import { createId } from "../../../base/ids.ts";
import { systemRandom } from "../../../base/random.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import { usageError } from "../../../base/usage-error.ts";
import { readVersion } from "../../../base/version.ts";
import { createPaths } from "../../../config/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { formatReport, nodeNames, runDemo, showCluster } from "../../../showcase/index.ts";
import { parseCount } from "../../options/flags.ts";
import { serveDemo } from "../../serve-demo.ts";
import { packageFile } from "../../../base/files/package-files.ts";

/** Enough for one place per phrase in each tile. */
const sizeMin = 8;
const sizeMax = 5_000;

export const demo: Command = {
  needs: "settings",
  options: [
    {
      flag: "--size",
      value: "businesses",
      summary: "number of businesses in the region",
      default: "40",
    },
    { flag: "--keep", summary: "keep the data folder to look at" },
    { flag: "--serve", summary: "show it in the dashboard until Ctrl-C (default on a terminal)" },
  ],
  examples: [
    { line: "forager demo", summary: "a campaign from plan to contacts, in a made-up region" },
    { line: "forager demo --size 200 --keep", summary: "more businesses, and keep the results" },
    { line: "forager demo --data ./here", summary: "keep it in a folder of its own in ./here" },
    { line: "forager demo --serve", summary: "and show it in the dashboard, until Ctrl-C" },
    { line: "forager demo --json", summary: "the results and measurements as JSON" },
  ],
  details: [
    "Three nodes, each a process with a data folder of its own, share a bucket and gossip; one of\n" +
      "them is killed in the middle. The region's websites are on loopback; no external requests are made.\n" +
      "Exit code 1: the results differ too much from the known data, a site was visited too often, or the\n" +
      "nodes do not have the same data in the end.",
  ],

  async run(context) {
    const { flags, out, settings, progress, clock, log, signal } = context;
    const size = parseSize(String(flags["size"]));
    const { folder, isKept } = chooseFolder(context);
    try {
      out.note(`a region of ${size} businesses, its websites on loopback, its data in ${folder}`);
      const result = await runDemo({
        paths: createPaths(folder),
        size,
        crawl: settings.crawl,
        version: readVersion(),
        clock,
        log,
        signal,
        startProgress: (total) => progress.start({ label: "visits", total }),
        showCluster: (where) => showCluster(process.argv[1] ?? "", where),
      });
      const next = nextLines(isKept, folder, context.cwd);
      out.result({ ...result, ...(isKept ? { folder } : {}) }, formatReport(result, next));
      if (isServed(context)) {
        out.note("the dashboard shows the results until you press Ctrl-C:");
        const bucket = `dir:${join(folder, "bucket")}`;
        const data = join(folder, nodeNames[0]);
        await serveDemo(
          process.argv[1] ?? "",
          { data, bucket, queue: `${bucket}?shards=1` },
          signal,
        );
      }
      return result.verdict.isGood ? undefined : "failed";
    } finally {
      if (!isKept) rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** At a terminal the demo stays open so that the user can look at it; otherwise it exits. */
function isServed({ flags, out }: SettingsContext): boolean {
  if (flags["serve"] === true) return true;
  return !out.isJson && process.stdout.isTTY === true && process.stdin.isTTY === true;
}

function parseSize(text: string): number {
  const size = parseCount("size", text);
  if (size >= sizeMin && size <= sizeMax) return size;
  throw usageError(`--size takes a number from ${sizeMin} to ${sizeMax}, not '${text}'`);
}

/**
 * A new folder for each run, because places that are known are not searched again. A folder given
 * by --data is kept.
 */
function chooseFolder({ flags, loaded, paths }: SettingsContext) {
  const isNamed = loaded.values.some(({ key, source }) => key === "data" && source === "--data");
  if (!isNamed) {
    const folder = mkdtempSync(join(tmpdir(), "forager-demo-"));
    return { folder, isKept: flags["keep"] === true };
  }
  const folder = paths.resolve(`demo-${createId(systemRandom, 6)}`);
  makeFolder(folder);
  return { folder, isKept: true };
}

function nextLines(isKept: boolean, folder: string, cwd: string): readonly string[] {
  const forager = programName(cwd);
  if (!isKept) {
    return [
      `${forager} demo --keep       keeps the results, and prints commands for exploring them`,
      `${forager} demo --size 200   the same with more businesses`,
      ...installLines(),
      `Contacts for a CSV file of your own: ${docsPage("guides/enrich-your-list.md")}`,
      `A campaign of your own: ${docsPage("guides/first-campaign.md")}`,
    ];
  }
  const node = join(folder, nodeNames[0]);
  return [
    `${forager} company search bakery --data ${node}`,
    `${forager} export emails --data ${node}`,
    `${forager} campaign status --data ${node}`,
    `${forager} queue stats --queue dir:${join(folder, "bucket")}`,
    ...installLines(),
    `Contacts for a CSV file of your own: ${docsPage("guides/enrich-your-list.md")}`,
    `A campaign of your own: ${docsPage("guides/first-campaign.md")}`,
  ];
}

/** In a checkout, `forager` is not on the PATH yet. */
function installLines(): readonly string[] {
  const starter = packageFile("bin/forager");
  if (!existsSync(starter)) return [];
  return [
    `sudo ln -sf ${starter} /usr/local/bin/forager   the command \`forager\`, in every folder`,
  ];
}

/**
 * The name with which the printed commands run as they stand. In a checkout that is bin/forager,
 * because the first `node` on the PATH may be too old. The installed package does not contain
 * bin/forager.
 */
function programName(cwd: string): string {
  const program = process.argv[1] ?? "";
  if (basename(program) === "forager") return "forager";
  const starter = packageFile("bin/forager");
  if (!existsSync(starter)) return `node ${relative(cwd, program) || program}`;
  const path = relative(cwd, starter);
  return path.includes(sep) ? path : `.${sep}${path}`;
}
