import { openUp, type UpOptions, type UpPart } from "../../../app/index.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { bucketOption } from "../../options/bucket-option.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { untilStopped } from "../../frame/until-stopped.ts";
import { workOptions, workOptionsOf } from "../../options/work-options.ts";

export const up: Command = {
  needs: "settings",
  keepsLog: true,
  options: [
    ...workOptions,
    { ...bucketOption, setting: "bucket.url" },
    { flag: "--no-workers", summary: "run no tasks: only keep data, gossip and bucket up to date" },
  ],
  examples: [
    { line: "forager up", summary: "run everything that the settings ask for, until Ctrl-C" },
    {
      line: "forager up --bucket s3://fleet --listen 127.0.0.1:9464",
      summary: "as a node of a fleet, with metrics and health checks",
    },
    {
      line: "forager up --handlers handlers.mjs --processes 4 --concurrency 5-50",
      summary: "with your own kinds of tasks, in four processes",
    },
    {
      line: "forager up --no-workers",
      summary: "for a machine that only keeps a copy of the data",
    },
    { line: "forager up --json", summary: "one JSON document per line, for a service manager" },
  ],
  details: [
    "Starts the parts of a node and prints one line for each: data (the data folder), queue, bucket,\n" +
      "gossip, schedules (if there are any), workers, metrics and dashboard. It prints another line when a\n" +
      "part changes, and one when it ends.",
    "Dashboard, HTTP API and metrics are at serve.listen (127.0.0.1:4870; off: not at all). The link that\n" +
      "it prints opens the dashboard once; `forager dashboard` prints another one.",
    "One process at a time owns a data folder. If another one does, this one reports it and becomes its\n" +
      "client. It runs its own workers, and takes over when the owner exits.",
    "A changed settings file is applied while it runs, at once on SIGHUP: workers, queue, alerts and\n" +
      "gossip.keys. Other settings of gossip and bucket, and serve.*, need a restart.",
    "Ctrl-C or SIGTERM: starts no more tasks, waits work.graceMs for those that run, returns the\n" +
      "others to the queue, and uploads what is not in the bucket yet. A second one: stops at once.",
    "Exit code after SIGTERM: 0 if every process stopped by itself, 143 if one had to be killed or\n" +
      "after a second signal. After Ctrl-C: 130. 1: the data folder or the queue cannot be used.",
    `Page: ${docsPage("node.md")}`,
  ],

  async run(context) {
    const { signal } = context;
    let isOrderly = false;
    {
      await using node = await openUp(optionsOf(context));
      try {
        await node.start();
        await Promise.race([node.ended, untilStopped(signal)]);
      } finally {
        await node.stop();
      }
      isOrderly = node.isOrderly();
    }
    return isOrderly ? "stopped" : undefined;
  },
};

function optionsOf(context: SettingsContext): UpOptions {
  const { flags, out } = context;
  return {
    ...workOptionsOf(context),
    hasWorkers: flags["workers"] !== false,
    manager: context.serviceManager,
    onPart: (part) => void out.piece(out.isJson ? `${JSON.stringify(part)}\n` : lineOf(part)),
  };
}

const nameWidth = 10;

const lineOf = ({ part, text }: UpPart) => `${part.padEnd(nameWidth)}${text}\n`;
