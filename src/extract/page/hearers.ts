import { heardFlags } from "./attribute-flags.ts";
import { kindOf, type ElementKind } from "./element-names.ts";
import type { Collector } from "./page-events.ts";

/** Who is told of the beginning and the end of an element: places in the list of collectors. */
export interface Hearers {
  readonly open: readonly number[];
  readonly close: readonly number[];
}

export type HearersOf = (kind: ElementKind, attributes: number) => Hearers;

/**
 * Most elements concern nobody, and a link concerns five of twelve: who is asked for once for each name
 * and set of flags, in the order of the collectors. The answers hold for all pages that are read with
 * collectors of the same interests.
 */
export function hearersAmong(collectors: readonly Collector[]): HearersOf {
  const interests = collectors
    .map(
      ({ hears, open, close }) =>
        `${hears?.elements ?? ""} ${hears?.attributes ?? 0} ${open !== undefined} ${close !== undefined}`,
    )
    .join("\n");
  let hearersOf = known.get(interests);
  if (!hearersOf) {
    hearersOf = createHearers(collectors);
    if (known.size < knownMax) known.set(interests, hearersOf);
  }
  return hearersOf;
}

const known = new Map<string, HearersOf>();
const knownMax = 20;

function createHearers(collectors: readonly Collector[]): HearersOf {
  const interests = collectors.map(({ hears, open, close }) => ({
    kinds: new Set((hears?.elements ?? "").split(" ").filter(Boolean).map(numberOf)),
    attributes: hears?.attributes ?? 0,
    hasOpen: open !== undefined,
    hasClose: close !== undefined,
  }));
  const found: (Hearers | undefined)[] = [];

  function find(number: number, flags: number): Hearers {
    const concerned = interests.flatMap(({ kinds, attributes, hasOpen, hasClose }, index) =>
      kinds.has(number) || (attributes & flags) !== 0 ? [{ index, hasOpen, hasClose }] : [],
    );
    return {
      open: concerned.filter(({ hasOpen }) => hasOpen).map(({ index }) => index),
      close: concerned.filter(({ hasClose }) => hasClose).map(({ index }) => index),
    };
  }

  return (kind, attributes) => {
    const flags = attributes & heardFlags;
    const index = kind.number * (heardFlags + 1) + flags;
    while (found.length <= index) found.push(undefined);
    return (found[index] ??= find(kind.number, flags));
  };
}

function numberOf(name: string): number {
  const { number } = kindOf(name);
  if (number === 0) throw new Error(`bug: elements called ${name} are not told apart`);
  return number;
}
