import type { Datagram, Dot } from "./datagram/datagram.ts";

/**
 * A datagram that is ahead of time is kept aside. Someone who does not want to wait for its time
 * writes its value anew with a stamp of now, and drops the old one by a datagram of its own, so
 * that it does not come back when its time comes.
 */
export const quarantineKind = "quarantine";
const droppedField = "dropped";

export function dropOf(dot: Dot): { readonly target: string; readonly field: string } {
  return { target: `${quarantineKind}/${dot.replaceAll("/", "-")}`, field: droppedField };
}

/** Which dot a datagram drops; undefined where it drops none. */
export function droppedDot({ target, field, value }: Datagram): Dot | undefined {
  if (field !== droppedField || value === undefined) return undefined;
  return target.startsWith(`${quarantineKind}/`)
    ? target.slice(quarantineKind.length + 1).replaceAll("-", "/")
    : undefined;
}
