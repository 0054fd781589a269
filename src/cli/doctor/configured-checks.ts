import { access, constants } from "node:fs/promises";
import {
  findBrowser,
  openQueueToRead,
  preflight,
  readReleaseRecords,
  releaseText,
  tasksLeftBehind,
} from "../../app/index.ts";
import { AppError } from "../../base/app-error.ts";
import { openCampaignFolder } from "../../campaign/index.ts";
import type { LoadedSettings, Paths } from "../../config/index.ts";
import { isRemoteFile } from "../../sources/index.ts";
import type { Finding } from "./check.ts";

type Row = Finding & { readonly check: string };

/** What the settings ask for: contact, queue, browser, campaigns. */
export async function checkConfigured(options: {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
}): Promise<readonly Row[]> {
  return [
    ...(await preflightRows(options)),
    ...(await queueRows(options)),
    await browserRow(options),
    ...(await campaignRows(options)),
  ];
}

/** Only warnings: a machine without a contact address is fit, and visits say what they need. */
async function preflightRows(options: Parameters<typeof checkConfigured>[0]) {
  const found = await preflight(options);
  const { contact } = options.loaded.settings.crawl;
  const rows: readonly Row[] = found.map((finding) => ({
    check: finding.check === "queue" ? "shared queue" : finding.check,
    state: finding.state === "note" ? "ok" : "warn",
    detail: finding.detail,
    advice: finding.advice,
  }));
  return contact === undefined
    ? rows
    : [{ check: "contact", state: "ok", detail: contact } as const, ...rows];
}

async function queueRows({
  loaded: { settings, values },
  paths,
}: Parameters<typeof checkConfigured>[0]): Promise<readonly Row[]> {
  const check = "queue";
  // Without queue.url, the queue is on the bucket.
  const source = values.find(({ key }) => key === "queue.url")?.source;
  const setting = source === "bucket.url" ? "bucket.url" : "queue.url";
  const left = await tasksLeftBehind(settings, paths);
  const leftRows: readonly Row[] =
    left === undefined ? [] : [{ check: "local queue", state: "warn", detail: left }];
  try {
    await using queue = await openQueueToRead({ settings, paths });
    const { pending, running, failed } = (await queue.stats()).states;
    const words = `${pending} pending, ${running} running, ${failed} failed`;
    const released = await readReleaseRecords(paths, queue);
    return [
      { check, state: "ok", detail: `${settings.queue.url}: ${words}` },
      ...released.map((one): Row => ({ check, state: "warn", detail: releaseText(one) })),
      ...leftRows,
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "no_queue") {
      return [
        { check, state: "ok", detail: `${settings.queue.url}: made by the first task` },
        ...leftRows,
      ];
    }
    return [
      { check, state: "fail", detail: error.message, advice: `check ${setting}` },
      ...leftRows,
    ];
  }
}

async function browserRow({ loaded }: Parameters<typeof checkConfigured>[0]): Promise<Row> {
  const { browser, browserPath } = loaded.settings.crawl;
  const check = "browser";
  if (browser === "off") return { check, state: "ok", detail: "off: no page is rendered" };
  try {
    return { check, state: "ok", detail: await findBrowser(browserPath) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice =
      browser === "always"
        ? "no page can be read without it"
        : "pages that are empty without their scripts are not read; all others are";
    return { check, state: "warn", detail: error.message, advice };
  }
}

async function campaignRows({
  loaded,
  paths,
}: Parameters<typeof checkConfigured>[0]): Promise<readonly Row[]> {
  const folder = openCampaignFolder(paths);
  const hasBucket = loaded.settings.bucket.url !== undefined;
  const rows: Row[] = [];
  for (const name of await folder.list()) {
    const check = `campaign ${name}`;
    try {
      const campaign = await folder.load(name);
      const missing = await missingSource(folder.sourceFile(campaign), hasBucket);
      rows.push(
        missing === undefined
          ? { check, state: "ok", detail: "its config.toml is valid" }
          : { check, ...missing },
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      rows.push({ check, state: "fail", detail: error.message, advice: "edit its config.toml" });
    }
  }
  return rows;
}

/** Another node may have the file; the tiles it was cut into are shared through the bucket. */
async function missingSource(
  file: string | undefined,
  hasBucket: boolean,
): Promise<Finding | undefined> {
  if (file === undefined || isRemoteFile(file)) return undefined;
  try {
    await access(file, constants.R_OK);
    return undefined;
  } catch {
    return {
      state: hasBucket ? "warn" : "fail",
      detail: `its file of places ${file} is missing or cannot be read`,
      advice:
        "this node plans nothing from it: copy it there, or change sources.file of the campaign",
    };
  }
}
