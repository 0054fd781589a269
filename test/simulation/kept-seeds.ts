/**
 * Seeds that once found a fault. Never removed; after a change of the simulation a seed means
 * another world, and is then only one more.
 */
export const keptSeeds: readonly { readonly seed: number; readonly why: string }[] = [
  { seed: 55, why: "the commit that created an object was dated 0, and forgotten at once" },
];
