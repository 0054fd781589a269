/**
 * A set without an order, for items that come and go by the thousand. It is an array in which each
 * item knows its place, because a JavaScript Set keeps references to removed items until V8 collects
 * its old space, so the memory of a worker would depend on how late that is.
 */
export interface UnorderedSet<T extends SetMember> extends Iterable<T> {
  readonly size: number;
  add(item: T): void;
  has(item: T): boolean;
  /** May be called while iterating, for the current item. */
  delete(item: T): boolean;
}

export interface SetMember {
  /** Its index in the set; -1 if it is in none. */
  place: number;
}

export function createUnorderedSet<T extends SetMember>(): UnorderedSet<T> {
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
    // From the end: the last item replaces a deleted one and was visited before it.
    *[Symbol.iterator]() {
      for (let at = items.length - 1; at >= 0; at--) {
        const item = items[at];
        if (item) yield item;
      }
    },
  };
}
