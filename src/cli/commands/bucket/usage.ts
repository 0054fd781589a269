import { dayOf, readUsage } from "../../../app/index.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { addUsage, usageDaysMax, type DayUsage, type Usage } from "../../../bucket/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { usageError } from "../../../base/usage-error.ts";
import { addressArgument, withAddress } from "./open-bucket.ts";
import { showStored } from "./stored-usage.ts";
import { parseMoment } from "../company/parts/parse-moment.ts";

export const bucketUsage: Command = {
  needs: "settings",
  arguments: [
    {
      ...addressArgument,
      summary: `count what is stored there: ${addressArgument.summary}`,
      isOptional: true,
    },
    { name: "prefix", summary: "only keys with this prefix", isOptional: true },
  ],
  options: [
    { flag: "--stored", summary: "count what is stored in the bucket of bucket.url" },
    {
      flag: "--since",
      value: "date",
      summary: "requests from this day on (UTC), such as 2026-02-01, 7d or today; default 30d",
    },
  ],
  examples: [
    { line: "forager bucket usage", summary: "requests and dollars of this node, last 30 days" },
    { line: "forager bucket usage --since today --json", summary: "today's, as JSON" },
    { line: "forager bucket usage --stored", summary: "objects and bytes in the fleet's bucket" },
    { line: "forager bucket usage s3://fleet", summary: "objects and bytes stored, by folder" },
    {
      line: "forager bucket usage dir:bucket wal/",
      summary: "the same, only keys with the prefix wal/",
    },
  ],
  details: [
    "Without a bucket: the requests that the processes of this data folder have sent to buckets,\n" +
      "by the part of the program that sent them and by operation. Dollars are list prices of S3\n" +
      "Standard in us-east-1; folders and PostgreSQL cost nothing. A running process adds its\n" +
      `counts every minute, if idle every ten minutes. ${usageDaysMax} days are kept.`,
    "With a bucket: lists every object. On S3 that costs $0.005 for each million of them.",
    `Page: ${docsPage("cost.md")}`,
  ],

  async run(context) {
    const since = textFlag(context.flags, "since");
    const isStored = context.flags["stored"] === true;
    if (context.args.length === 0 && !isStored) return showRequests(context, since ?? "30d");
    if (since !== undefined) {
      throw usageError("--since is for requests: a bucket is counted as it is now; leave one out");
    }
    await showStored(await withAddress(context));
  },
};

async function showRequests(context: SettingsContext, since: string): Promise<void> {
  const { out, clock } = context;
  const nowMs = clock.nowMs();
  const today = dayOf(nowMs);
  const moment = since === "today" ? "now" : since;
  const from = parseMoment("--since", moment, { nowMs, direction: "past" }).slice(0, 10);
  const found = await readUsage(from, context);
  const rows = [...sumBy(found, ({ caller, operation }) => `${caller} ${operation}`).values()].map(
    ({ day: _day, ...row }) => row,
  );
  const all = totalOf(found);
  const ofToday = totalOf(found.filter(({ day }) => day === today));
  out.result({ since: from, rows, all, today: ofToday }, (layout) => {
    if (rows.length === 0) return `no requests to buckets are recorded since ${from}`;
    const total = { caller: "all", operation: "", ...all };
    return (
      `${layout.table([...rows, total], columns)}\n` +
      `since ${from}: ${inWords(all)}; today: ${inWords(ofToday)}`
    );
  });
}

type Row = Omit<DayUsage, "day">;

const columns: readonly TableColumn<Row>[] = [
  { title: "caller", value: ({ caller }) => caller },
  { title: "operation", value: ({ operation }) => operation },
  { title: "requests", value: ({ requests }) => requests },
  {
    title: "failed",
    value: ({ failed }) => failed,
    tint: ({ failed }) => (failed > 0 ? "warn" : undefined),
  },
  { title: "bytes sent", value: ({ bytesSent }) => bytesSent },
  { title: "bytes received", value: ({ bytesReceived }) => bytesReceived },
  { title: "dollars", value: ({ dollars }) => dollars.toFixed(6) },
];

const inWords = ({ requests, dollars }: Usage) => `${requests} requests, $${dollars.toFixed(6)}`;

function sumBy(
  rows: readonly DayUsage[],
  keyOf: (row: DayUsage) => string,
): ReadonlyMap<string, DayUsage> {
  const sums = new Map<string, DayUsage>();
  for (const row of rows) {
    const known = sums.get(keyOf(row));
    sums.set(keyOf(row), known ? { ...known, ...addUsage(known, row) } : row);
  }
  return new Map([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const totalOf = (rows: readonly DayUsage[]): Usage =>
  rows.reduce<Usage>((sum, row) => addUsage(sum, row), {
    requests: 0,
    failed: 0,
    bytesSent: 0,
    bytesReceived: 0,
    dollars: 0,
  });
