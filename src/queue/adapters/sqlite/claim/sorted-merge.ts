/** A position in an order: compared number by number, lower numbers first. */
export type SortRank = readonly number[];

export interface RankedItem<T> {
  readonly item: T;
  readonly rank: SortRank;
}

export interface SortedMergeOptions<T> {
  /**
   * Each source returns items from `offset`, best first, in an order that does not change
   * meanwhile.
   */
  readonly sources: readonly ((page: SourcePage) => readonly RankedItem<T>[])[];
  /**
   * The current rank of an item, never better than when it was read; undefined if it has no rank
   * any more.
   */
  readonly rankOf: (item: T) => SortRank | undefined;
}

export interface SourcePage {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Merges the sources, best item first, and reads little more than what the caller consumes. Each
 * iteration starts at the front and moves items back that have become worse since. Nothing may
 * change during an iteration.
 */
export function createSortedMerge<T>({ sources, rankOf }: SortedMergeOptions<T>): Iterable<T> {
  const places: RankedItem<T>[] = [];
  const unread = sources.map((read) => ({ read, offset: 0, last: [-Infinity] as SortRank }));

  function readPage(source: (typeof unread)[number]): void {
    // Doubles each time: a long iteration takes few reads, and a short one reads little.
    const limit = source.offset + 2;
    const page = source.read({ limit, offset: source.offset });
    for (const place of page) insert(places, place);
    source.offset += page.length;
    source.last = page.at(-1)?.rank ?? source.last;
    if (page.length < limit) unread.splice(unread.indexOf(source), 1);
  }

  return {
    *[Symbol.iterator]() {
      for (let index = 0; ;) {
        const place = places[index];
        const source = unread.find(({ last }) => !place || byRank(last, place.rank) < 0);
        if (source) {
          readPage(source);
          continue;
        }
        if (!place) return;
        const rank = rankOf(place.item);
        if (rank && byRank(rank, place.rank) === 0) {
          yield place.item;
          index += 1;
          continue;
        }
        places.splice(index, 1);
        if (rank) insert(places, { item: place.item, rank });
      }
    },
  };
}

function insert<T>(places: RankedItem<T>[], place: RankedItem<T>): void {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byRank(places[middle]!.rank, place.rank) <= 0) low = middle + 1;
    else high = middle;
  }
  places.splice(low, 0, place);
}

function byRank(a: SortRank, b: SortRank): number {
  for (let index = 0; index < a.length; index++) {
    const difference = a[index]! - b[index]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
