import { z } from "zod";
import { AppError, type ErrorKind } from "../../../base/app-error.ts";
import type { Datagram } from "../../datagram/datagram.ts";
import type { RecordRange } from "../../exchange/exchange.ts";
import type { Ledger, LedgerStatus } from "../../ledger.ts";
import type { Position } from "../../position.ts";
import { leftToWrite } from "./left-to-write.ts";

const target = z.string();
const source = z.string();
/** Set where an earlier answer was lost: the newest stamp that was known when it was first sent. */
const after = z.string().optional();
/** Loose: what else a change may say is for the ledger to check, and must not be dropped here. */
const change = z.looseObject({
  target,
  field: z.string(),
  value: z.unknown().optional(),
  unset: z.literal(true).optional(),
});

const positionSchema = z.object({
  checkpoint: z.number(),
  parts: z.string(),
  vector: z.record(z.string(), z.number()),
  aside: z.array(z.string()),
});

/** What another process may ask of the one that holds the ledger. */
export const askSchema = z.discriminatedUnion("op", [
  z.object({
    op: z.literal("write"),
    commit: z.object({ source, changes: z.array(change) }),
    after,
  }),
  z.object({ op: z.literal("read"), target }),
  z.object({ op: z.literal("readAll"), targets: z.array(target) }),
  z.object({ op: z.literal("writtenOf"), targets: z.array(target) }),
  z.object({ op: z.literal("changedSince"), position: positionSchema.optional() }),
  z.object({ op: z.literal("digest") }),
  z.object({ op: z.literal("conflicts") }),
  z.object({ op: z.literal("restore"), target, dot: z.string(), source }),
  z.object({ op: z.literal("restamp"), dot: z.string(), after }),
  z.object({ op: z.literal("forget"), target, source }),
  z.object({ op: z.literal("unforget"), target, source }),
  z.object({ op: z.literal("isForgotten"), key: z.string() }),
  z.object({ op: z.literal("unscrubbed") }),
  z.object({
    op: z.literal("readRange"),
    origin: z.string(),
    from: z.number(),
    to: z.number(),
    bytesMax: z.number(),
  }),
  z.object({
    op: z.literal("takeRange"),
    origin: z.string(),
    from: z.number(),
    records: z.array(z.string()),
  }),
  /** From now on the door tells what is written. */
  z.object({ op: z.literal("follow") }),
  z.object({ op: z.literal("ping") }),
  z.object({ op: z.literal("mark") }),
  z.object({ op: z.literal("yield") }),
]);
export type Ask = z.infer<typeof askSchema> & { readonly after?: string | undefined };

/** Does what was asked. All of it may be asked again when the answer was lost. */
export async function answerAsk(ledger: Ledger, ask: Ask): Promise<unknown> {
  switch (ask.op) {
    case "write": {
      const commit = ask.commit as Parameters<Ledger["write"]>[0];
      return ledger.write(
        ask.after === undefined ? commit : leftToWrite(ledger, commit, ask.after),
      );
    }
    case "read":
      return ledger.read(ask.target);
    case "readAll":
      return ledger.readAll(ask.targets);
    case "writtenOf":
      return ledger.writtenOf(ask.targets);
    case "changedSince": {
      const { position, batches } = await ledger.changedSince(ask.position as Position | undefined);
      const told: (readonly string[])[] = [];
      for await (const batch of batches) told.push(batch);
      return { position, batches: told };
    }
    case "digest":
      return ledger.digest();
    case "conflicts":
      return ledger.conflicts();
    case "restore":
      return ledger.restore(ask);
    case "restamp":
      return restampOnce(ledger, ask.dot, ask.after !== undefined);
    case "forget":
      return ledger.forget(ask);
    case "unforget":
      return ledger.unforget(ask);
    case "isForgotten":
      return ledger.isForgotten(ask.key);
    case "unscrubbed":
      return ledger.unscrubbed();
    case "readRange": {
      const range = await ledger.exchange.read(ask);
      return range && rangeAsText(range);
    }
    case "takeRange":
      return ledger.exchange.receive(rangeFromText(ask));
    case "mark":
      return ledger.status().highWater;
    case "follow":
    case "ping":
    case "yield":
      return true;
  }
}

async function restampOnce(ledger: Ledger, dot: string, isAgain: boolean) {
  const isGone = !ledger
    .quarantine()
    .some((one) => `${one.node}/${one.session}/${one.number}` === dot);
  return isAgain && isGone ? { datagrams: [], cut: [] } : ledger.restamp(dot);
}

/** What the methods that cannot wait answer from; the holder sends it as it changes. */
export interface Look {
  readonly status: LedgerStatus;
  /** All of it, or what changed since the last look. */
  readonly vector: readonly (readonly [string, number])[];
  readonly isWhole: boolean;
  /** Sessions of which others may know less than this node does: up to which number. */
  readonly limits: readonly (readonly [string, number])[];
  readonly quarantine: readonly Datagram[];
}

/** As it goes through the door: records are text. */
export interface RangeText {
  readonly origin: string;
  readonly from: number;
  readonly records: readonly string[];
}

export const rangeAsText = ({ origin, from, records }: RecordRange): RangeText => ({
  origin,
  from,
  records: records.map((record) => Buffer.from(record).toString()),
});

export const rangeFromText = ({ origin, from, records }: RangeText): RecordRange => ({
  origin,
  from,
  records: records.map((record) => Buffer.from(record)),
});

export interface Failure {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
}

/** From the holder. */
export type Said =
  | { readonly look: Look }
  | { readonly wrote: RangeText }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure };

export const failureOf = (error: unknown): Failure =>
  error instanceof AppError
    ? { kind: error.kind, code: error.code, message: error.message }
    : { kind: "internal", code: "ledger_holder_failed", message: String(error) };

/** The largest commit, with its names, as JSON in JSON; more is refused before it is read. */
export const askBytesMax = 48 * 2 ** 20;
export const saidBytesMax = 256 * 2 ** 20;
