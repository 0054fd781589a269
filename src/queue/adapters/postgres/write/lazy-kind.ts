/** Kinds of writes that may be answered before they are on the server's disk. */
export const lazyKinds = ["add", "claim", "finish"] as const;
export type LazyKind = (typeof lazyKinds)[number];
