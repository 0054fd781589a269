/** Pages of 1,000 sites in turn: the same for every side, so that all of them store the same. */
export const pageUrl = (index: number): string =>
  `https://site-${index % 1000}.example/page/${index}`;

export function inBatches<Item>(items: readonly Item[], size: number): readonly Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
