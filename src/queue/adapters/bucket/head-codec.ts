import { gunzipSync, gzipSync } from "node:zlib";
import { AppError } from "../../../base/app-error.ts";
import type { Envelope, SharedCodec } from "../../../bucket/index.ts";
import type { Gate } from "../../gate.ts";
import type { Job } from "../../job.ts";
import { identityOf, type ClaimRecord, type Shard } from "../../model/shard.ts";
import type { Task } from "../../task.ts";
import type { ArchivedLane, Head, LogRef } from "./head.ts";
import { createTaskRows } from "./task-row.ts";

export const headFormat = 1;
/** A head of 10,000 tasks has some megabytes; more is not ours, or a trap. */
const textBytesMax = 256 * 2 ** 20;

/** The first line, without the task lines that follow. */
interface Header {
  readonly format: number;
  readonly queueId: string;
  readonly index: number;
  readonly shards: number;
  readonly version: number;
  readonly atMs: number;
  readonly commits: Envelope<Head>["commits"];
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
  readonly control: number;
}

export interface HeadCodecOptions {
  /** A bound of this opener's, not of the shard: it is not stored. */
  readonly liveTasksMax: number;
}

/**
 * A head as gzipped JSON: everything but the tasks on the first line, then one task a line. Level
 * 1, since it is written far more often than it is kept.
 */
export function createHeadCodec({ liveTasksMax }: HeadCodecOptions): SharedCodec<Head> {
  const rows = createTaskRows();
  const identities = new WeakMap<Task, string>();
  /** Of the last head that was written or read. */
  let last: ReadonlyMap<number, Task> = new Map();

  const identity = (task: Task): string => {
    const known = identities.get(task);
    if (known !== undefined) return known;
    const made = identityOf(task);
    identities.set(task, made);
    return made;
  };

  return {
    encode({ commits, value: head }) {
      const { shard, ...place } = head;
      const { tasks, gates, jobs, claims, waits, nextId, lastToken, served, raises } = shard;
      const header: Header = {
        format: headFormat,
        ...place,
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
      last = tasks;
      const lines = Array.from(tasks.values(), (task) => rows.write(task)).join(",\n");
      const text = `${JSON.stringify(header).slice(0, -1)},"tasks":[\n${lines}\n]}\n`;
      return gzipSync(text, { level: 1 });
    },

    decode(body, key) {
      const { header, lines } = readText(body, key);
      const known = new Map(Array.from(last.values(), (task) => [rows.write(task), task]));
      const tasks = new Map<number, Task>();
      const idsByIdentity = new Map<string, number>();
      try {
        for (const line of lines) {
          const task = rows.read(line.endsWith(",") ? line.slice(0, -1) : line, known);
          tasks.set(task.id, task);
          idsByIdentity.set(identity(task), task.id);
        }
      } catch (cause) {
        throw corrupt(key, cause);
      }
      last = tasks;
      return { format: headFormat, commits: header.commits, value: headOf(header) };

      function headOf(found: Header): Head {
        const { queueId, index, shards, version, atMs, logs, archived, control } = found;
        const { nextId, lastToken, served, raises } = found;
        const shard: Shard = {
          tasks,
          idsByIdentity,
          gates: new Map(found.gates.map((gate) => [gate.name, gate])),
          jobs: new Map(found.jobs.map((job) => [job.name, job])),
          claims: new Map(found.claims),
          waits: new Map(found.waits.map(([kind, buckets]) => [kind, new Map(buckets)])),
          raises,
          nextId,
          lastToken,
          served,
          liveTasksMax,
          idStep: shards,
          isSpread: shards > 1,
        };
        return { queueId, index, shards, version, atMs, shard, logs, archived, control };
      }
    },
  };
}

function readText(body: Uint8Array, key: string): { header: Header; lines: readonly string[] } {
  let lines: string[];
  let header: Partial<Header> | undefined;
  try {
    const text = gunzipSync(body, { maxOutputLength: textBytesMax }).toString();
    lines = text.split("\n");
    header = JSON.parse(`${lines[0]!.replace(/,"tasks":\[$/, "")}}`) as typeof header;
  } catch (cause) {
    throw corrupt(key, cause);
  }
  if (typeof header?.format === "number" && header.format > headFormat) {
    const message =
      `${key} was written by a newer version (format ${header.format}, this one knows ` +
      `${headFormat}): upgrade this node; nothing was changed`;
    throw new AppError("invalid", "queue_shard_newer", message);
  }
  const isWhole = lines.at(-2) === "]}" && lines.at(-1) === "" && hasParts(header);
  if (!isWhole) throw corrupt(key);
  return { header: header as Header, lines: lines.slice(1, -2).filter((line) => line !== "") };
}

const hasParts = (header: Partial<Header> | undefined): boolean =>
  header?.format === headFormat &&
  typeof header.queueId === "string" &&
  typeof header.commits === "object" &&
  typeof header.nextId === "number" &&
  [header.gates, header.jobs, header.claims, header.waits, header.logs, header.archived].every(
    Array.isArray,
  );

const corrupt = (key: string, cause?: unknown) =>
  new AppError(
    "corrupt",
    "queue_shard_corrupt",
    `${key} is not a shard of a queue: something else wrote to this bucket, or it was damaged. ` +
      `Nothing was changed. Put back an older version of the object, if the store keeps them`,
    { cause },
  );
