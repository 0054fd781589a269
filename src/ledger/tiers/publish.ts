import { AppError } from "../../base/app-error.ts";
import { sleep } from "../../base/clock.ts";
import { isUnavailable, type Bucket } from "../../bucket/index.ts";
import { isAhead } from "../clock/stamp.ts";
import type { Core } from "../core.ts";
import type { DatagramRange } from "../journal/journal-reader.ts";
import { readBoundary } from "./boundary.ts";
import type { SessionHead, HeadInfo, HeadSession, HeadWriter } from "./head.ts";
import { segmentKey } from "./keys.ts";
import { cutSegment, isSameContent, readForSegment, readSegment } from "./segment.ts";

export type Published =
  | { readonly status: "published"; readonly datagrams: number }
  /** Own stamps are ahead of the bucket's time, or another disk has this node's id. */
  | { readonly status: "must-move"; readonly reason: "ahead" | "cloned" };

/**
 * Uploads own datagrams to the bucket, session by session, each segment only when the one before is
 * there, and then updates the head. Datagrams count as published when the head is written. Call it
 * after the time was checked; one call at a time.
 */
export async function publish(core: Core, bucket: Bucket, heads: HeadWriter): Promise<Published> {
  const waiting = core.unpublished();
  if (waiting.length === 0) return { status: "published", datagrams: 0 };
  if (await areAhead(core, waiting)) return { status: "must-move", reason: "ahead" };
  const mine = core.session();
  await core.saveIdentity({
    sessions: [...new Set([...core.identity().sessions, mine])],
    highWater: core.highWater(),
  });
  const reached = new Map<string, number>();
  const writeHead = async () => heads.write(headOf(core, reached));
  for (const { key } of waiting) reached.set(key, core.identity().published[key] ?? 0);
  if ((await writeHead()) === "cloned") return { status: "must-move", reason: "cloned" };

  let count = 0;
  for (const range of waiting) {
    const end = await sendSession({ core, bucket, ...range });
    if (end === "foreign") return { status: "must-move", reason: "cloned" };
    count += range.to - range.from + 1;
    reached.set(range.key, end);
  }
  if ((await writeHead()) === "cloned") return { status: "must-move", reason: "cloned" };
  await core.saveIdentity({
    published: { ...core.identity().published, ...Object.fromEntries(reached) },
  });
  return { status: "published", datagrams: count };
}

/**
 * Writes the head to show that this node lives, with its other information: one write. The session
 * must be in the node's file first, or the next process would take its own head for a clone's.
 */
export async function writeHeartbeat(
  core: Core,
  heads: HeadWriter,
  info: HeadInfo,
): Promise<"written" | "cloned"> {
  const mine = core.session();
  const { sessions } = core.identity();
  if (!sessions.includes(mine)) await core.saveIdentity({ sessions: [...sessions, mine] });
  return heads.write({ ...headOf(core, new Map()), ...info });
}

export function headOf(
  core: Core,
  reached: ReadonlyMap<string, number>,
): Omit<SessionHead, "nonce"> {
  const { node, label } = core.identity();
  const sessions = headSessions(core, reached);
  return { node, label, session: core.session(), stamp: core.highWater(), sessions };
}

/** A stamp can only be ahead if the clock has been ahead: only then all of them are checked. */
async function areAhead(core: Core, waiting: readonly DatagramRange[]): Promise<boolean> {
  const nowMs = core.time.nowMs();
  if (!isAhead(core.highWater(), nowMs)) return false;
  for (const range of waiting) {
    for await (const some of core.journal().read(range)) {
      if (some.some(({ stamp }) => isAhead(stamp, nowMs))) return true;
    }
  }
  return false;
}

/** Every session of this node that a checkpoint may not cover yet. */
function headSessions(core: Core, reached: ReadonlyMap<string, number>): readonly HeadSession[] {
  const { node, published } = core.identity();
  const covered = core.replica().base.vector;
  const numbers = new Map([...Object.entries(published), ...reached]);
  const mine = `${node}/${core.session()}`;
  return [...numbers].flatMap(([key, number]) => {
    if (!key.startsWith(`${node}/`)) return [];
    const isMine = key === mine;
    if (!isMine && (covered.get(key) ?? 0) >= number && !reached.has(key)) return [];
    const lastOnDisk = core.lastOnDisk(key);
    const isComplete = !isMine && number >= lastOnDisk;
    return [{ session: key.slice(node.length + 1), number, isComplete }];
  });
}

interface Sending extends DatagramRange {
  readonly core: Core;
  readonly bucket: Bucket;
}

/** Sends the rest of a session; returns how far it has come. */
async function sendSession({ core, bucket, ...range }: Sending): Promise<number | "foreign"> {
  const { key, from, to: last } = range;
  for (let first = from; first <= last;) {
    const planned = await core.segments.endOf(key, first);
    const left = await readForSegment(
      core.journal().read({ key, from: first, to: last }),
      planned?.last,
    );
    if (left.length === 0) throw notInJournal(key, first);
    const { body, lastNumber } = cutSegment(left, planned?.last);
    await core.segments.record(key, first, { last: lastNumber, bytes: body.byteLength });
    const name = segmentKey(key, first);
    let end = (await createSegment({ core, bucket, name, body })) ? lastNumber : undefined;
    if (end === undefined) {
      // An earlier process sent it, or an answer was lost: the segment there is ours, or a clone's.
      const got = await bucket.get(name);
      if (got.status !== "found") continue; // pruned meanwhile: then the boundary covers it
      const found = readSegment(got.body, { key, first, name });
      const to = Math.min(found.lastNumber, last);
      const own = await core.journal().readAll({ key, from: first, to });
      if (found.lastNumber > last || !isSameContent(found.datagrams, own)) return "foreign";
      end = found.lastNumber;
      await core.segments.record(key, first, { last: end, bytes: got.body.byteLength });
    }
    // O5: a name behind the boundary was used before, and deleted; its content is folded. It may
    // have ended at another number than this one.
    const boundary = await readBoundary(bucket);
    const covered = boundary?.vector.get(key) ?? 0;
    first = (covered >= first ? covered : end) + 1;
  }
  return last;
}

const notInJournal = (key: string, number: number) =>
  new AppError(
    "corrupt",
    "ledger_journal_damaged",
    `datagram ${number} of ${key} is not published, and cannot be read from the journal any more: ` +
      `run \`forager ledger verify\``,
  );

const triesMax = 8;

/** True: this call created it. False: there is a segment already. */
export async function createSegment({
  core,
  bucket,
  name,
  body,
}: Pick<Sending, "core" | "bucket"> & { name: string; body: Uint8Array }): Promise<boolean> {
  const { clock, random } = core.options;
  let lastError: unknown;
  for (let attempt = 0; attempt < triesMax; attempt++) {
    if (attempt > 0) await sleep(clock, random.next() * Math.min(2_000, 50 * 2 ** attempt));
    try {
      return (await bucket.putIfAbsent(name, body)).status === "created";
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      lastError = error;
    }
  }
  const message = `segment ${name} got no clear answer; the next sync uploads it again`;
  throw new AppError("unavailable", "ledger_segment_unresolved", message, { cause: lastError });
}
