import type { Lease, LeaseRef } from "../../../task.ts";
import type { ClaimLane } from "./claim-rows.ts";

/** The lanes of tasks that this process claimed and has not finished. A lane never changes. */
export interface KnownLeases {
  note(leases: readonly Lease[], taken: KnownClaim): void;
  laneOf(lease: LeaseRef): ClaimLane | undefined;
  /** True if nothing in its claim had a gate, or a job with a cap. */
  isUnthrottled(lease: LeaseRef): boolean;
  forget(leases: readonly LeaseRef[]): void;
}

export interface KnownClaim {
  readonly isUnthrottled: boolean;
  readonly lanesById: ReadonlyMap<number, ClaimLane>;
}

/** The number of remembered claims. Tasks of older claims finish on the slow path. */
const claimsMax = 2_000;

export function createKnownLeases(): KnownLeases {
  const claims = new Map<number, KnownClaim & { left: number }>();
  return {
    note([first], taken) {
      if (!first) return;
      claims.set(first.token, { ...taken, left: taken.lanesById.size });
      if (claims.size > claimsMax) claims.delete(claims.keys().next().value!);
    },
    laneOf: ({ id, token }) => claims.get(token)?.lanesById.get(id),
    isUnthrottled: ({ token }) => claims.get(token)?.isUnthrottled ?? false,
    forget(leases) {
      for (const { token } of leases) {
        const claim = claims.get(token);
        if (claim && --claim.left <= 0) claims.delete(token);
      }
    },
  };
}
