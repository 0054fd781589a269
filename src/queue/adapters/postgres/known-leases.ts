import type { Lease, LeaseRef } from "../../task.ts";
import type { ClaimLane } from "./claim-hands.ts";

/** What this process claimed and has not finished: where each task belongs, which never changes. */
export interface KnownLeases {
  note(leases: readonly Lease[], taken: Taken): void;
  laneOf(lease: LeaseRef): ClaimLane | undefined;
  /** Nothing in its claim had a gate, or a job with a cap. */
  isFree(lease: LeaseRef): boolean;
  forget(leases: readonly LeaseRef[]): void;
}

export interface Taken {
  readonly isFree: boolean;
  readonly lanesById: ReadonlyMap<number, ClaimLane>;
}

/** Claims; the oldest are forgotten first, and their tasks end the long way. */
const claimsMax = 2_000;

export function createKnownLeases(): KnownLeases {
  const claims = new Map<number, Taken & { left: number }>();
  return {
    note([first], taken) {
      if (!first) return;
      claims.set(first.token, { ...taken, left: taken.lanesById.size });
      if (claims.size > claimsMax) claims.delete(claims.keys().next().value!);
    },
    laneOf: ({ id, token }) => claims.get(token)?.lanesById.get(id),
    isFree: ({ token }) => claims.get(token)?.isFree ?? false,
    forget(leases) {
      for (const { token } of leases) {
        const claim = claims.get(token);
        if (claim && --claim.left <= 0) claims.delete(token);
      }
    },
  };
}
