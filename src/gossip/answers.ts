import { AppError } from "../base/app-error.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Counting } from "./counters.ts";
import { limits } from "./limits.ts";
import { cutRange } from "./packing.ts";
import type { Peer } from "./peers.ts";
import { lastOf, type Range, type GossipReplica } from "./replica.ts";
import type { Ask, Ended, Item } from "./wire/items.ts";

export interface AnswersOptions {
  readonly replica: GossipReplica;
  readonly counting: Counting;
  readonly log: Logger;
  /** How many bytes a packet has room for. */
  readonly room: number;
  readonly send: (peer: Peer, items: readonly Item[]) => void;
}

/**
 * Sends records that others lack, and to each peer no more than its share: a peer that asks for
 * everything gets it slowly.
 */
export interface Answers {
  take(peer: Peer, ask: Ask): void;
}

/** The least cost of a request, so that fruitless requests are limited too. */
const askBytes = 256;

export function createAnswers(options: AnswersOptions): Answers {
  const { replica, counting, log, room, send } = options;
  let atOnce = 0;

  const answer = async (peer: Peer, { origin, from, to }: Ask): Promise<void> => {
    const end = (why: Ended["why"], next: number): Ended => ({ kind: "ended", origin, why, next });
    const have = replica.vector().get(origin) ?? 0;
    if (have < from) return send(peer, [end("behind", have + 1)]);
    const bytesMax = Math.min(limits.answerBytes, peer.answers.left());
    const range = await replica.read({ origin, from, to: Math.min(to, have), bytesMax });
    if (!range || range.from !== from || range.records.length === 0) {
      return send(peer, [end("gone", from)]);
    }
    const { pieces, large } = cutRange(range, room);
    const next = large[0] ?? lastOf(range) + 1;
    const sent = pieces.filter((piece) => piece.from < next);
    peer.answers.take(Math.min(peer.answers.left(), sizeOf(sent)));
    for (const { records } of sent) counting.add("recordsAnswered", records.length);
    const items = sent.map((piece): Item => ({ kind: "answer", range: piece }));
    send(peer, [...items, end(large.length > 0 ? "large" : "sent", next)]);
  };

  return {
    take(peer, ask) {
      counting.add("asksIn");
      if (atOnce >= limits.answersAtOnceMax || !peer.answers.take(askBytes)) {
        counting.drop("limited");
        const { origin, from } = ask;
        // Sent only if the share has something left for it.
        if (peer.answers.take(askBytes / 8)) {
          send(peer, [{ kind: "ended", origin, why: "busy", next: from }]);
        }
        return;
      }
      atOnce += 1;
      answer(peer, ask)
        .catch((error: unknown) => {
          const kind = error instanceof AppError ? error.kind : "internal";
          log.warn("records could not be read", {
            origin: ask.origin,
            kind,
            reason: String(error),
          });
        })
        .finally(() => (atOnce -= 1));
    },
  };
}

const sizeOf = (ranges: readonly Range[]): number =>
  ranges.reduce((sum, { records }) => records.reduce((all, { length }) => all + length, sum), 0);
