import { existingBucketAddress } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { BucketFault, BucketVerified } from "../../../ledger/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { openNodeOf, openReaderOf } from "../../frame/node-context.ts";
import type { ProgressHandle } from "../../../base/progress-handle.ts";

export const ledgerVerify: Command = {
  needs: "settings",
  options: [
    {
      ...bucketOption,
      summary: "also read this bucket: s3://BUCKET/PREFIX, dir:PATH or postgres://HOST/DATABASE",
    },
    {
      flag: "--repair",
      summary: "upload this node's segments that are missing or damaged in the bucket",
    },
    {
      flag: "--accept-loss",
      summary: "continue without lost parts of this node's journal that nobody can restore",
    },
  ],
  examples: [
    { line: "forager ledger verify", summary: "check every checksum of this node's files" },
    {
      line: "forager ledger verify --bucket s3://fleet",
      summary: "also read all segments in the bucket that no checkpoint holds yet",
    },
    {
      line: "forager ledger verify --bucket s3://fleet --repair",
      summary: "upload this node's writes that the bucket has lost",
    },
  ],
  details: [
    "The digest is the same on every node that has the same data. Damage ends it with an error that\n" +
      "names the file and what to do.",
    "--repair without --bucket uses bucket.url. A node can put back only what it wrote itself. What\n" +
      "another node wrote is listed with the name of that node: run the command there.",
    "A node that has lost something of its own journal writes nothing until `forager ledger sync` has\n" +
      "fetched it. --accept-loss is for data that is in no bucket and in no backup. It first sets damaged\n" +
      "files aside and keeps everything readable in them.",
    "Exits 3 when something is missing or damaged in the bucket and was not put back, 1 when this\n" +
      "node's own files lack something.",
  ],

  async run(context) {
    const { out, flags, progress } = context;
    const isRepairing = flags["repair"] === true;
    if (flags["acceptLoss"] === true) await acceptLoss(context);
    const hasBucket = isRepairing || flags["bucket"] !== undefined;
    const bucket = hasBucket ? await existingBucketAddress(fleetOf(context)) : undefined;
    await using opened = await (isRepairing ? openNodeOf(context) : openReaderOf(context));
    const { ledger } = opened;
    const digest = await ledger.digest();
    const { node, checkpoint, datagramsSinceCheckpoint, cuts, ...missing } = await ledger.status();
    const { stranded, lost, lostCheckpoint } = missing;
    const here = {
      node,
      digest,
      checkpoint,
      datagramsSinceCheckpoint,
      cuts,
      stranded,
      lost,
      lostCheckpoint,
    };
    let bar: ProgressHandle | undefined;
    const onProgress = ({ total }: { readonly total: number }) => {
      bar ??= progress.start({ label: "sessions in the bucket", total });
      bar.advance();
    };
    const verify = (address: string) =>
      asUsage(
        () => ledger.verify({ bucket: address, isRepairing }, { onProgress }),
        ["bucket_address"],
      );
    const verified = bucket === undefined ? undefined : await verify(bucket);
    bar?.done();
    const tail =
      cuts.length > 0
        ? "; an incomplete record at the end of a journal will be cut off at the next write"
        : "";
    out.result(
      { ...here, ...(verified && { bucket: verified }) },
      [
        `checkpoint ${checkpoint} and ${countOf(datagramsSinceCheckpoint, "datagram")} are sound${tail}`,
        ...(lost > 0 ? [`${countOf(lost, "datagram")} of this node missing here: ${advice}`] : []),
        ...(lostCheckpoint === null
          ? []
          : [`checkpoint ${lostCheckpoint} missing here: ${advice}`]),
        digest,
        ...(verified ? describeBucket(verified) : []),
      ].join("\n"),
    );
    if (stranded + lost > 0 || lostCheckpoint !== null) return "failed";
    if (verified?.faults.some(({ isRepaired }) => !isRepaired)) return "partial";
  },
};

const advice =
  "nothing can be written until `forager ledger sync` has fetched what the bucket has of it";

async function acceptLoss(context: SettingsContext): Promise<void> {
  await using node = await openNodeOf(context);
  const { lost, moved } = await node.ledger.acceptLoss();
  const restamped = moved === 0 ? "" : `; ${countOf(moved, "datagram")} after it written again`;
  context.out.note(
    lost === 0 ? "nothing is missing here" : `${countOf(lost, "datagram")} given up${restamped}`,
  );
}

function describeBucket({ nodes, segments, faults }: BucketVerified): readonly string[] {
  const sound = `bucket: ${countOf(segments, "segment")} of ${countOf(nodes, "node")} beyond the newest checkpoint`;
  if (faults.length === 0) return [`${sound}: all are sound`];
  return [
    `${sound} are sound, ${countOf(faults.length, "object")} missing or damaged`,
    ...faults.map((fault) => `  ${describeFault(fault)}`),
  ];
}

function describeFault(fault: BucketFault): string {
  const { object, state, node, label, first, last, isOwn } = fault;
  const author = isOwn ? "this node" : label === "" ? node : `${label} (${node})`;
  const what = first === undefined ? "the head" : numbersOf(first, last);
  return `${object} ${stateWords[state]}: ${what} of ${author}; ${whatToDo(fault, author)}`;
}

const numbersOf = (first: number, last = first) =>
  first === last ? `datagram ${first}` : `datagrams ${first} to ${last}`;

const stateWords = {
  missing: "is missing",
  damaged: "is damaged",
  foreign: "has other content than this node's journal",
} as const;

function whatToDo({ isOwn, isRepaired, isRepairable, state }: BucketFault, author: string): string {
  if (isRepaired) return "put back";
  if (isRepairable) return "--repair puts it back";
  if (!isOwn) return `run \`forager ledger verify --repair\` on ${author}`;
  if (state === "foreign") return "another disk uses this node's id; nothing is replaced";
  return "this disk does not have it any more";
}
