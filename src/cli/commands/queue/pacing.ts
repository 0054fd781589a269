import { openQueueToRead, readAttempts } from "../../../app/index.ts";
import { formatDuration, formatMoment } from "../../../base/text/format-time.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { usageError } from "../../../base/usage-error.ts";
import { readPacing, type PacingEnd } from "../../../queue/index.ts";
import { pacingStarts, type PacingStarts } from "../../../worker/index.ts";
import type { Command } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { fleetOf } from "../../options/bucket-option.ts";
import { textFlag } from "../../options/flags.ts";
import type { TableColumn } from "../../terminal/table.ts";

const minuteMs = 60_000;
const longestMinutes = 7 * 24 * 60;

export const queuePacing: Command = {
  needs: "settings",
  arguments: [{ name: "gate", summary: "the gate, usually a web host" }],
  options: [{ flag: "--since", value: "time", summary: "how far back, up to 7d", default: "1h" }],
  examples: [
    { line: "forager queue pacing example.org", summary: "visits of the last hour" },
    { line: "forager queue pacing example.org --since 1d --json", summary: "for a program" },
  ],
  details: [
    "Shows when attempts of the gate's tasks ended, and which of them the host answered with 429 or\n" +
      "503 (slow_down). The notes say how far apart the requests were sent: each node keeps the records\n" +
      "of its last attempts, and puts the newest into the bucket every ten minutes. --json has them all.",
  ],

  async run(context) {
    const { args, flags, out, signal } = context;
    const ms = parseDuration("since", textFlag(flags, "since") ?? "1h");
    if (ms < minuteMs || ms > longestMinutes * minuteMs) {
      throw usageError("--since takes from 1m to 7d");
    }
    await using queue = await openQueueToRead(context);
    const gate = args[0]!;
    const ends = await readPacing(queue, gate, { minutes: Math.ceil(ms / minuteMs), signal });
    const attempts = await readAttempts(fleetOf(context), { gate });
    const starts = pacingStarts(attempts, ends.fromMs);
    const pacing = { ...ends, ...starts };
    out.result(pacing, (layout) =>
      pacing.ends.length === 0
        ? `no attempt of '${gate}' ended in the last ${formatDuration(ms)}`
        : layout.table(withGaps(pacing.ends), columns),
    );
    if (starts.starts.length > 0) out.note(startsText(starts));
    for (const { worker, task } of pacing.holders)
      out.note(`${worker} runs task ${task} of this gate now`);
  },
};

function startsText({ starts, early, waits }: PacingStarts): string {
  const gaps = starts.flatMap(({ gapMs }) => gapMs ?? []);
  const asked = Math.max(...starts.map(({ delayMs }) => delayMs));
  const shortest = gaps.length === 0 ? "" : `, at least ${formatDuration(Math.min(...gaps))} apart`;
  const kept =
    asked === 0
      ? ""
      : `; asked were up to ${formatDuration(asked)}, ${early === 0 ? "always kept" : `${early} came too early`}`;
  const hostWaits = waits.length === 0 ? "" : `; the host asked ${countOf(waits.length, "time")} for a wait`; // prettier-ignore
  return `${countOf(starts.length, "request")}${shortest}${kept}${hostWaits}`;
}

type PacedEnd = PacingEnd & { readonly gapMs: number | undefined };

const withGaps = (ends: readonly PacingEnd[]): readonly PacedEnd[] =>
  ends.map((end, at) => ({ ...end, gapMs: at === 0 ? undefined : end.atMs - ends[at - 1]!.atMs }));

const columns: readonly TableColumn<PacedEnd>[] = [
  { title: "ended", value: ({ atMs }) => formatMoment(atMs) },
  { title: "after", value: ({ gapMs }) => (gapMs === undefined ? "" : formatDuration(gapMs)) },
  { title: "task", value: ({ task }) => task, isKey: true },
  { title: "outcome", value: ({ outcome }) => outcome },
  { title: "reason", value: ({ reason }) => reason },
];
