import { hasFleetBucket } from "../../../app/index.ts";
import { formatDuration } from "../../../base/text/format-time.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { openCampaignFolder } from "../../../campaign/index.ts";
import { userName } from "../../../config/index.ts";
import { exportFormats } from "../../../records/index.ts";
import {
  auditedSchedule,
  missedPolicies,
  nextRunsOf,
  overlapPolicies,
  putSchedule,
  rescrapeFields,
  scheduleKindAliases,
  scheduleKinds,
  toTiming,
  withinMsDefault,
  type ScheduleInput,
} from "../../../schedule/index.ts";
import type { Command, Flags, SettingsContext } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { listFlag, textFlag } from "../../options/flags.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { scheduleArgument } from "./schedule-argument.ts";

export const scheduleAdd: Command = {
  needs: "settings",
  arguments: [scheduleArgument],
  options: [
    {
      flag: "--does",
      value: "what",
      summary: "the action",
      choices: [...scheduleKinds, ...scheduleKindAliases],
    },
    { flag: "--cron", value: "fields", summary: 'minute hour day month weekday, such as "0 6 * * 1"' }, // prettier-ignore
    { flag: "--timezone", value: "zone", summary: "the time zone of --cron, such as Europe/Berlin", default: "UTC" }, // prettier-ignore
    { flag: "--every", value: "time", summary: "an interval instead of --cron: 30m, 6h, 7d" },
    { flag: "--campaign", value: "name", summary: "for gather, report and export" },
    { flag: "--missing", value: "what", summary: "for rescrape: companies that lack this", choices: rescrapeFields, isRepeated: true }, // prettier-ignore
    {
      flag: "--stale",
      value: "time",
      summary: "for rescrape: websites not read for this long: 30d",
    },
    { flag: "--format", value: "format", summary: "for export: the format (default: csv)", choices: exportFormats }, // prettier-ignore
    {
      flag: "--new",
      summary: "for export: only companies that no earlier export of this name had",
    },
    { flag: "--changes", summary: "for export: a feed of changes since the last one of this name" },
    { flag: "--name", value: "name", summary: "with --new or --changes: that name (default: the campaign's)" }, // prettier-ignore
    {
      flag: "--target",
      value: "address",
      summary: "for publish: a target that you have published to before",
    },
    { flag: "--missed", value: "policy", summary: "which missed occurrences run later, if no node was running", choices: missedPolicies, default: "latest" }, // prettier-ignore
    { flag: "--within", value: "time", summary: `skip an occurrence that is late by more than this (default: ${formatDuration(withinMsDefault)})` }, // prettier-ignore
    { flag: "--overlap", value: "policy", summary: "if the previous run has not ended (default: skip)", choices: overlapPolicies }, // prettier-ignore
  ],
  examples: [
    {
      line: 'forager schedule add austin-weekly --does gather --campaign austin --cron "0 6 * * 1" --timezone America/Chicago',
      summary: "look for new places each Monday",
    },
    {
      line: "forager schedule add again --does rescrape --missing email --stale 30d --every 1d",
      summary: "visit websites without an address again, once a month each",
    },
    {
      line: 'forager schedule add leads --does export --campaign austin --cron "30 7 * * *"',
      summary: "write the campaign's CSV each morning, and into the fleet's bucket",
    },
    {
      line: "forager schedule add crm --does export --campaign austin --new --name crm --every 1d",
      summary: "write a file with new companies each day",
    },
    {
      line: "forager schedule add feed --does export --campaign austin --changes --every 1d",
      summary: "write a file with all changes each day",
    },
  ],
  details: [
    "Runs on the nodes where `forager up` runs. An occurrence is one task of the queue, so it runs once\n" +
      "in the fleet, on whichever node is free. With --missed skip, an occurrence at which no node was\n" +
      "running is left out; with latest, the newest missed one runs; with all, up to 10 of them.",
    "An existing schedule with this name is replaced. A new or changed one starts from now.",
  ],

  async run(context) {
    const { out, clock, settings, paths } = context;
    const input = await asUsage(async () => inputOf(context));
    if (input.action.campaign !== undefined) await checkCampaign(context, input.action.campaign);
    await using node = await openNodeOf(context);
    await using _state = await context.recordState(() => auditedSchedule(node.ledger, input.name));
    const hasBucket = hasFleetBucket({ settings, paths });
    const place = { ledger: node.ledger, clock, hasBucket };
    const source = `hand:${userName()}`;
    const { change, schedule } = await asUsage(() => putSchedule(place, input, source));
    const next = nextRunsOf(schedule, clock.nowMs());
    const words = {
      added: "added",
      changed: "changed, it starts from now",
      unchanged: "as it was",
    };
    out.result(
      { name: schedule.name, change, next },
      `schedule ${schedule.name} ${words[change]}; next: ${next.join(", ") || "none, it is paused"}`,
    );
  },
};

function inputOf({ args, flags, clock }: SettingsContext): ScheduleInput {
  const [name = ""] = args;
  const duration = (flag: string) => {
    const text = textFlag(flags, flag);
    return text === undefined ? undefined : parseDuration(flag, text);
  };
  const timing = toTiming(
    {
      cron: textFlag(flags, "cron"),
      timezone: textFlag(flags, "timezone") ?? "UTC",
      everyMs: duration("every"),
    },
    clock.nowMs(),
  );
  const given = {
    kind: textFlag(flags, "does"),
    campaign: textFlag(flags, "campaign"),
    missing: listFlag(flags, "missing"),
    staleMs: duration("stale"),
    format: textFlag(flags, "format"),
    ...exportNames(flags),
    target: textFlag(flags, "target"),
  };
  return {
    name,
    timing,
    action: definedOf(given) as ScheduleInput["action"],
    missed: textFlag(flags, "missed") as ScheduleInput["missed"],
    ...definedOf({ withinMs: duration("within"), overlap: textFlag(flags, "overlap") }),
  };
}

function exportNames(flags: Flags) {
  const name = textFlag(flags, "name");
  const isNew = flags["new"] === true;
  const isFeed = flags["changes"] === true;
  if (name !== undefined && !isNew && !isFeed) throw usageError("--name needs --new or --changes");
  const named = name ?? textFlag(flags, "campaign");
  return { onlyNew: isNew ? named : undefined, changes: isFeed ? named : undefined };
}

const definedOf = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/**
 * The campaign may exist on another machine only. But if this machine has campaigns, an unknown
 * name is probably a typo.
 */
async function checkCampaign({ paths, out }: SettingsContext, name: string): Promise<void> {
  const names = await openCampaignFolder(paths).list();
  if (names.includes(name)) return;
  const here = names.length > 0 ? names.slice(0, 10).join(", ") : "none";
  out.note(`warning: this machine has no campaign ${name} (it has: ${here}); a node that has it runs it`); // prettier-ignore
}
