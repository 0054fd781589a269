import { finishUpgrade, openExistingQueue, openFleet } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { readVersion } from "../../../base/version.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";

export const fleetFinishUpgrade: Command = {
  needs: "settings",
  options: [bucketOption, { flag: "--dry-run", summary: "show what would change" }],
  examples: [
    {
      line: "forager fleet finish-upgrade --dry-run",
      summary: "check if all nodes run this version",
    },
    { line: "forager fleet finish-upgrade", summary: "refuse earlier versions from now on" },
  ],
  details: [
    "Until then all shared data stays readable by the previous version, so a fleet can be upgraded\n" +
      "node by node and rolled back. Afterwards earlier versions are refused with a message. Nothing is\n" +
      "changed if a visible node runs an earlier version.",
    `Page: ${docsPage("fleet.md")}`,
  ],

  async run(context) {
    const { flags, out, clock } = context;
    const isDryRun = flags["dryRun"] === true;
    await using fleet = await openFleet({ ...fleetOf(context), isReader: isDryRun });
    await using queue = await openQueueOrNone(context);
    const version = readVersion();
    const finished = await finishUpgrade({ fleet, queue, version, clock, isDryRun });
    const { before, after, isIdFormNew, absent } = finished;
    if (before && after) context.recordChange({ before: { ...before }, after: { ...after } });
    const names = absent.map(({ node, label, heartbeat }) => ({
      node,
      label,
      version: heartbeat?.version,
    }));
    const isOpen = before !== undefined && before.readableBy < before.format;
    const state = !before
      ? "there is no queue yet: nothing to finish"
      : !isOpen
        ? `nothing to finish: the queue is of format ${before.format}, which earlier versions cannot read`
        : isDryRun
          ? `the queue would need format ${before.format}; now versions that know ${before.readableBy} can use it`
          : `finished: the queue needs format ${before.format}, and earlier versions are refused`;
    out.result({ version, before, after, isIdFormNew, absent: names }, state);
    if (isIdFormNew) {
      const when = isDryRun ? "would be" : "are from now on";
      out.note(`ids of new companies ${when} hashes of their place or domain, whichever versions have written`); // prettier-ignore
    }
    for (const one of names) {
      out.note(`${one.label || one.node} ran ${one.version ?? "an unknown version"} when it was last seen: upgrade it before you start it again`); // prettier-ignore
    }
  },
};

async function openQueueOrNone(context: SettingsContext) {
  try {
    return await openExistingQueue(context);
  } catch (error) {
    if (error instanceof AppError && error.code === "no_queue") return undefined;
    throw error;
  }
}
