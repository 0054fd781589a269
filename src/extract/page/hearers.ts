import { heardFlags } from "./attribute-flags.ts";
import { kindOf, type ElementKind } from "./element-names.ts";
import type { Collector } from "./page-events.ts";

/** Who is told of the beginning and the end of an element. */
export interface Hearers {
  readonly open: readonly Collector[];
  readonly close: readonly Collector[];
}

export type HearersOf = (kind: ElementKind, attributes: number) => Hearers;

/**
 * Most elements concern nobody, and a link concerns five of twelve: who is asked for once for each name
 * and set of flags, in the order of the collectors.
 */
export function createHearers(collectors: readonly Collector[]): HearersOf {
  const interests = collectors.map((collector) => ({
    collector,
    kinds: new Set((collector.hears?.elements ?? "").split(" ").filter(Boolean).map(numberOf)),
    attributes: collector.hears?.attributes ?? 0,
  }));
  const known: (Hearers | undefined)[] = [];

  function find(number: number, found: number): Hearers {
    const concerned = interests
      .filter(({ kinds, attributes }) => kinds.has(number) || (attributes & found) !== 0)
      .map(({ collector }) => collector);
    return {
      open: concerned.filter(({ open }) => open),
      close: concerned.filter(({ close }) => close),
    };
  }

  return (kind, attributes) => {
    const found = attributes & heardFlags;
    const index = kind.number * (heardFlags + 1) + found;
    return (known[index] ??= find(kind.number, found));
  };
}

function numberOf(name: string): number {
  const { number } = kindOf(name);
  if (number === 0) throw new Error(`bug: elements called ${name} are not told apart`);
  return number;
}
