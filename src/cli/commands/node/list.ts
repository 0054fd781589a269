import { openRetryingFleetBucket } from "../../../app/index.ts";
import { readHeads, type SessionHead } from "../../../ledger/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";

export const nodeList: Command = {
  needs: "settings",
  options: [bucketOption],
  examples: [
    {
      line: "forager node list --bucket s3://fleet",
      summary: "the nodes and what each has uploaded",
    },
  ],

  async run(context) {
    const { out } = context;
    await using bucket = await openRetryingFleetBucket(fleetOf(context));
    const faults: string[] = [];
    const heads = await readHeads(bucket, (fault) => void faults.push(fault));
    out.table(heads, [
      { title: "node", value: ({ node }: SessionHead) => node },
      { title: "label", value: ({ label }) => label },
      { title: "last stamp", value: ({ stamp }) => stamp },
      { title: "sessions", value: ({ sessions }) => sessions.length },
      {
        title: "datagrams",
        value: ({ sessions }) => sessions.reduce((sum, { number }) => sum + number, 0),
      },
    ]);
    for (const fault of faults) out.note(fault);
    return faults.length > 0 ? "partial" : undefined;
  },
};
