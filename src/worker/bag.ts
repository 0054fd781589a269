/**
 * What comes and goes by the thousand, in no order. An array in which each item knows its place: a
 * Set leaves tables behind that hold on to what has left it until V8 collects its old space, and a
 * worker's memory would follow how late it does.
 */
export interface Bag<T extends Placed> extends Iterable<T> {
  readonly size: number;
  add(item: T): void;
  has(item: T): boolean;
  /** Also while iterating, of the item that the loop is at. */
  delete(item: T): boolean;
}

export interface Placed {
  /** Where it is in its bag; -1: in none. */
  place: number;
}

export function createBag<T extends Placed>(): Bag<T> {
  const items: T[] = [];
  return {
    get size() {
      return items.length;
    },
    add(item) {
      item.place = items.length;
      items.push(item);
    },
    has: (item) => item.place >= 0,
    delete(item) {
      if (item.place < 0) return false;
      const last = items.pop()!;
      if (last !== item) {
        items[item.place] = last;
        last.place = item.place;
      }
      item.place = -1;
      return true;
    },
    // From the end: the last one takes the place of one that leaves, and had its turn before.
    *[Symbol.iterator]() {
      for (let at = items.length - 1; at >= 0; at--) {
        const item = items[at];
        if (item) yield item;
      }
    },
  };
}
