import { interestFlags } from "./attribute-flags.ts";
import { kindOf, type ElementKind } from "./element-names.ts";
import type { Collector } from "./page-events.ts";

/** The collectors to call at the start and the end of an element, as positions in their list. */
export interface Subscribers {
  readonly open: readonly number[];
  readonly close: readonly number[];
}

export type SubscribersOf = (kind: ElementKind, attributes: number) => Subscribers;

/**
 * Most elements have no subscriber, and a link has five of twelve. So the subscribers are determined
 * once for each name and set of flags, in the order of the collectors, and cached for all pages that
 * are read with collectors of the same interests.
 */
export function subscribersAmong(collectors: readonly Collector[]): SubscribersOf {
  const interests = collectors
    .map(
      ({ interest, open, close }) =>
        `${interest?.elements ?? ""} ${interest?.attributes ?? 0} ${open !== undefined} ${close !== undefined}`,
    )
    .join("\n");
  let subscribersOf = known.get(interests);
  if (!subscribersOf) {
    subscribersOf = createSubscribers(collectors);
    if (known.size < knownMax) known.set(interests, subscribersOf);
  }
  return subscribersOf;
}

const known = new Map<string, SubscribersOf>();
const knownMax = 20;

function createSubscribers(collectors: readonly Collector[]): SubscribersOf {
  const interests = collectors.map(({ interest, open, close }) => ({
    kinds: new Set((interest?.elements ?? "").split(" ").filter(Boolean).map(numberOf)),
    attributes: interest?.attributes ?? 0,
    hasOpen: open !== undefined,
    hasClose: close !== undefined,
  }));
  const found: (Subscribers | undefined)[] = [];

  function find(number: number, flags: number): Subscribers {
    const concerned = interests.flatMap(({ kinds, attributes, hasOpen, hasClose }, index) =>
      kinds.has(number) || (attributes & flags) !== 0 ? [{ index, hasOpen, hasClose }] : [],
    );
    return {
      open: concerned.filter(({ hasOpen }) => hasOpen).map(({ index }) => index),
      close: concerned.filter(({ hasClose }) => hasClose).map(({ index }) => index),
    };
  }

  return (kind, attributes) => {
    const flags = attributes & interestFlags;
    const index = kind.number * (interestFlags + 1) + flags;
    while (found.length <= index) found.push(undefined);
    return (found[index] ??= find(kind.number, flags));
  };
}

function numberOf(name: string): number {
  const { number } = kindOf(name);
  if (number === 0) throw new Error(`bug: elements called ${name} have no number of their own`);
  return number;
}
