import { findBrowser, openQueueToRead, preflight } from "../../app/index.ts";
import { AppError } from "../../base/app-error.ts";
import { openCampaignFolder } from "../../campaign/index.ts";
import type { LoadedSettings, Paths } from "../../config/index.ts";
import type { Finding } from "./check.ts";

type Row = Finding & { readonly check: string };

/** What the settings ask for: contact, queue, browser, campaigns. */
export async function checkConfigured(options: {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
}): Promise<readonly Row[]> {
  return [
    ...(await preflightRows(options)),
    await queueRow(options),
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

async function queueRow({
  loaded: { settings },
  paths,
}: Parameters<typeof checkConfigured>[0]): Promise<Row> {
  const check = "queue";
  try {
    await using queue = await openQueueToRead({ settings, paths });
    const { pending, running, failed } = (await queue.stats()).states;
    const words = `${pending} pending, ${running} running, ${failed} failed`;
    return { check, state: "ok", detail: `${settings.queue.url}: ${words}` };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "no_queue") {
      return { check, state: "ok", detail: `${settings.queue.url}: made by the first task` };
    }
    return { check, state: "fail", detail: error.message, advice: "check queue.url" };
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
  paths,
}: Parameters<typeof checkConfigured>[0]): Promise<readonly Row[]> {
  const folder = openCampaignFolder(paths);
  const rows: Row[] = [];
  for (const name of await folder.list()) {
    const check = `campaign ${name}`;
    try {
      await folder.load(name);
      rows.push({ check, state: "ok", detail: "its config.toml is valid" });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      rows.push({ check, state: "fail", detail: error.message, advice: "edit its config.toml" });
    }
  }
  return rows;
}
