import { gzipSync } from "node:zlib";
import { AppError } from "../../../../base/app-error.ts";
import { formats, isReadable, markOf } from "../../../../base/text/formats.ts";
import { gunzipBounded } from "../../../../base/files/gunzip-bounded.ts";
import type { Envelope, SharedCodec } from "../../../../bucket/index.ts";
import type { Gate } from "../../../gate.ts";
import type { Job } from "../../../job.ts";
import type { ClaimRecord, Shard } from "../../../model/shard.ts";
import type { ArchivedLane, EntryRef, ShardHead, LogRef } from "./head.ts";
import { createRowCache, corruptShard } from "./row-cache.ts";

/**
 * The longest text of a head, for readers and writers. A usual head has some megabytes. The other
 * limits allow about this much: 750 finished tasks, which is what a head keeps before they move
 * into a log, with results of 256 KiB, and 10,000 live tasks of 6 KiB.
 */
export const headTextBytesMax = 256 * 2 ** 20;

/** The first line of the text; the lines of the tasks follow. */
interface Header {
  readonly format: number;
  readonly queueId: string;
  readonly index: number;
  readonly shards: number;
  readonly version: number;
  readonly atMs: number;
  readonly commits: Envelope<ShardHead>["commits"];
  readonly nextId: number;
  readonly lastToken: number;
  readonly served: number;
  readonly raises: Shard["raises"];
  readonly gates: readonly Gate[];
  readonly jobs: readonly Job[];
  readonly claims: readonly (readonly [token: number, record: ClaimRecord])[];
  readonly waits: readonly (readonly [
    kind: string,
    buckets: readonly (readonly [number, number])[],
  ])[];
  readonly logs: readonly LogRef[];
  readonly archived: readonly ArchivedLane[];
  readonly log?: readonly EntryRef[];
  readonly keptKeys?: readonly EntryRef[];
  readonly control: number;
}

export interface HeadCodecOptions {
  /** A limit of this process, not of the shard: it is not stored. */
  readonly liveTasksMax: number;
  /** Default `headTextBytesMax`. */
  readonly textBytesMax?: number;
}

/**
 * A head as gzipped JSON: everything but the tasks on the first line, then one task per line. It
 * uses a fast compression level, because a head is written often and kept briefly.
 */
export function createHeadCodec(options: HeadCodecOptions): SharedCodec<ShardHead> {
  const { liveTasksMax, textBytesMax = headTextBytesMax } = options;
  const rows = createRowCache();

  return {
    encode({ commits, value: head }) {
      const { shard, log, keptKeys, ...place } = head;
      // The previous version cannot read these two. Tasks move into the log only after the upgrade.
      const hasHistory = log.length + keptKeys.length > 0;
      const { tasks, gates, jobs, claims, waits, nextId, lastToken, served, raises } = shard;
      const header: Header = {
        ...markOf(hasHistory ? formats.queueShard.newest : 1),
        ...place,
        ...(hasHistory && { log, keptKeys }),
        commits,
        nextId,
        lastToken,
        served,
        raises,
        gates: [...gates.values()],
        jobs: [...jobs.values()],
        claims: [...claims],
        waits: [...waits].map(([kind, buckets]) => [kind, [...buckets]]),
      };
      const lines = rows.linesOf(tasks).join(",\n");
      const text = Buffer.from(`${JSON.stringify(header).slice(0, -1)},"tasks":[\n${lines}\n]}\n`);
      if (text.length > textBytesMax) throw tooLarge(head, text.length, textBytesMax);
      return gzipSync(text, packing(text.length));
    },

    decode(body, key) {
      const { header, text, from, to } = readText(body, key, textBytesMax);
      const { tasks, idsByIdentity } = rows.read(text, { from, to }, key);
      return { format: formats.queueShard.newest, commits: header.commits, value: headOf(header) };

      function headOf(found: Header): ShardHead {
        const { queueId, index, shards, version, atMs, logs, archived, control } = found;
        const { log = [], keptKeys = [] } = found;
        const { nextId, lastToken, served, raises } = found;
        const shard: Shard = {
          tasks,
          idsByIdentity,
          gates: new Map(found.gates.map((gate) => [gate.name, gate])),
          jobs: new Map(found.jobs.map((job) => [job.name, withRequests(job)])),
          claims: new Map(found.claims),
          waits: new Map(found.waits.map(([kind, buckets]) => [kind, new Map(buckets)])),
          raises,
          log: new Map(),
          keptKeys: new Map(),
          nextId,
          lastToken,
          served,
          liveTasksMax,
          idStep: shards,
          isSpread: shards > 1,
        };
        const place = { queueId, index, shards, version, atMs };
        return { ...place, shard, logs, archived, log, keptKeys, control };
      }
    },
  };
}

/** Earlier versions did not store this counter. */
const withRequests = (job: Job): Job =>
  "requests" in job ? job : { ...(job as Job), requests: 0 };

/**
 * Small buffers for short texts: the default buffers of zlib cost more than compressing a small
 * shard.
 */
const packing = (length: number) => ({
  level: 1,
  ...(length < 2 ** 14 && { windowBits: 12, memLevel: 5 }),
  chunkSize: Math.min(2 ** 18, Math.max(2 ** 12, Math.ceil(length / 2))),
});

interface HeadText {
  readonly header: Header;
  readonly text: string;
  /** The start of the task lines. */
  readonly from: number;
  readonly to: number;
}

const opening = ',"tasks":[\n';
const closing = "\n]}\n";

function readText(body: Uint8Array, key: string, bytesMax: number): HeadText {
  let text: string;
  let from: number;
  let header: Partial<Header> | undefined;
  try {
    text = gunzipBounded(body, { bytesMax, start: '{"format":' }).toString();
    const headerEnd = text.indexOf("\n") + 1 || text.length;
    const isOpened = text.endsWith(opening, headerEnd);
    from = headerEnd;
    header = JSON.parse(
      isOpened ? `${text.slice(0, headerEnd - opening.length)}}` : text.slice(0, headerEnd),
    ) as typeof header;
  } catch (cause) {
    throw corruptShard(key, cause);
  }
  const isOurs = isReadable("queueShard", header, key);
  const to = text.length - closing.length;
  if (!isOurs || !text.endsWith(closing) || !hasParts(header)) throw corruptShard(key);
  return { header: header as Header, text, from, to };
}

const hasParts = (header: Partial<Header> | undefined): boolean =>
  typeof header?.queueId === "string" &&
  typeof header.commits === "object" &&
  typeof header.nextId === "number" &&
  [header.gates, header.jobs, header.claims, header.waits, header.logs, header.archived].every(
    Array.isArray,
  );

const tooLarge = ({ index }: ShardHead, bytes: number, bytesMax: number) =>
  new AppError(
    "invalid",
    "queue_shard_too_large",
    `shard ${index} of the queue would have ${bytes} bytes of text, and ${bytesMax} is the most ` +
      `that is read again: nothing was written. Return shorter results and reasons of failures, ` +
      `or make a queue with more shards`,
  );
