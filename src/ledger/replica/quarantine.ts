import type { Datagram, Dot } from "../datagram/datagram.ts";

/**
 * A datagram that is ahead of the time is held back. An operator who does not want to wait for its
 * time writes its value again with a stamp of now, and drops the old one by another datagram, so
 * that it does not count when its time comes.
 */
export const quarantineKind = "quarantine";
const droppedField = "dropped";

export function dropOf(dot: Dot): { readonly target: string; readonly field: string } {
  return { target: `${quarantineKind}/${dot.replaceAll("/", "-")}`, field: droppedField };
}

/** The dot that a datagram drops; undefined if it drops none. */
export function droppedDot({ target, field, value }: Datagram): Dot | undefined {
  if (field !== droppedField || value === undefined) return undefined;
  return target.startsWith(`${quarantineKind}/`)
    ? target.slice(quarantineKind.length + 1).replaceAll("-", "/")
    : undefined;
}
