import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import { formatAddress, parseAddress } from "./address.ts";
import type { Counting } from "./counters.ts";
import type { Span } from "./inbox.ts";
import { limits } from "./limits.ts";
import type { Peer } from "./peers.ts";
import type { Range, GossipReplica } from "./replica.ts";
import type { Opened, Sealer } from "./sealer.ts";
import { answerBytesMax, questionBytesMax, type PullTransport } from "./transport.ts";
import { bytesSize, createWriter, malformed } from "./wire/bytes.ts";
import { rangeSize, readItems, tokenBytes, writeItem, type Item } from "./wire/items.ts";

/**
 * Fetches over a connection what is too large or too much for packets, sealed in the same way and
 * with the same counters. Only admitted sessions are answered.
 */
export interface Pulls {
  /** False: too many are active. Calls back with whether something new came. */
  start(peer: Peer, span: Span & { origin: string }, ended: (came: boolean) => void): boolean;
}

export interface PullsOptions {
  readonly transport: PullTransport | undefined;
  readonly replica: GossipReplica;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  readonly counting: Counting;
  readonly log: Logger;
  /** Opens received bytes; returns their peer if it is admitted, else counts the reason. */
  readonly open: (bytes: Uint8Array) => { peer: Peer; opened: Opened } | undefined;
  /** Returns how many of these records were new. */
  readonly take: (range: Range) => number;
}

export function createPulls(options: PullsOptions): Pulls {
  const { transport, replica, sealer, clock, random, counting, log, open, take } = options;
  let atOnce = 0;
  const answering = new Map<Peer, number>();

  const seal = (item: Item) => {
    const writer = createWriter();
    writeItem(writer, item);
    return sealer.seal(writer.done());
  };

  const only = <Kind extends Item["kind"]>(opened: Opened, kind: Kind) => {
    const [item, ...others] = readItems(opened.body);
    if (item?.kind !== kind || others.length > 0) throw malformed(`it is not one ${kind}`);
    return item as Extract<Item, { kind: Kind }>;
  };

  const pull = async (peer: Peer, span: Span & { origin: string }): Promise<boolean> => {
    const host = parseAddress(peer.address)!.host;
    const token = random.bytes(tokenBytes);
    const to = formatAddress({ host, port: peer.pullPort });
    const answer = await transport!.ask(to, seal({ kind: "pull", token, ...span }));
    const found = open(answer);
    if (!found || found.peer !== peer) throw malformed("the answer is from another session");
    const { token: returned, range } = only(found.opened, "pulled");
    if (Buffer.compare(returned, token) !== 0) throw malformed("it answers another request");
    if (!range) {
      peer.goneUntilMs.set(span.origin, clock.monotonicMs() + limits.goneMs);
      return false;
    }
    if (range.origin !== span.origin || range.from !== span.from) {
      throw malformed("it answers another request");
    }
    return take(range) > 0;
  };

  const answer = async (_from: string, question: Uint8Array): Promise<Uint8Array | undefined> => {
    if (question.byteLength > questionBytesMax) return counting.drop("oversize");
    const found = open(question);
    if (!found) return undefined;
    const { peer, opened } = found;
    const { token, origin, from: first, to } = only(opened, "pull");
    const busy = answering.get(peer) ?? 0;
    if (busy >= limits.pullsAtOnceMax) return counting.drop("limited");
    answering.set(peer, busy + 1);
    try {
      const have = replica.vector().get(origin) ?? 0;
      const ask = { origin, from: first, to: Math.min(to, have), bytesMax: limits.pullBytes };
      const range = have < first ? undefined : await replica.read(ask);
      const held =
        range?.from === first && sizeOf(range) < answerBytesMax - 1_024 ? range : undefined;
      counting.add("pullsAnswered");
      return seal({ kind: "pulled", token, range: held });
    } finally {
      const left = answering.get(peer)! - 1;
      if (left === 0) answering.delete(peer);
      else answering.set(peer, left);
    }
  };

  transport?.answer((from, question) =>
    answer(from, question).catch((error: unknown) => {
      if (isMalformed(error)) counting.drop("malformed");
      else log.warn("a pull could not be answered", { reason: String(error) });
      return undefined;
    }),
  );

  return {
    start(peer, span, ended) {
      if (!transport || atOnce >= limits.pullsAtOnceMax) return false;
      atOnce += 1;
      counting.add("pulls");
      pull(peer, span)
        .catch((error: unknown) => {
          counting.add("pullsFailed");
          if (isMalformed(error)) counting.drop("malformed");
          log.debug("a pull failed", { peer: peer.node, reason: String(error) });
          return false;
        })
        .then((came) => {
          atOnce -= 1;
          ended(came);
        })
        .catch((error: unknown) => log.error("a pull failed", { reason: String(error) }));
      return true;
    },
  };
}

const isMalformed = (error: unknown) =>
  error instanceof AppError && error.code === "gossip_malformed";

const sizeOf = ({ origin, from, records }: Range): number =>
  records.reduce((sum, { length }) => sum + bytesSize(length), rangeSize(origin, from));
