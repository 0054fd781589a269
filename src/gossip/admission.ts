import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { tokenBytes } from "./wire/items.ts";

/**
 * Decides which sessions are admitted. A recorded packet proves only that its sender once had the
 * key. So a session must send back a token that only this node can make, for the current time and
 * the session's address. Until then nothing in its packets is used or stored: the token is
 * computed, not kept.
 */
export interface Admission {
  tokenFor(address: string): Uint8Array;
  isProof(address: string, token: Uint8Array): boolean;
}

const tokenMs = 30_000;

export function createAdmission(options: {
  readonly clock: Clock;
  readonly random: Random;
}): Admission {
  const { clock, random } = options;
  const secret = random.bytes(32);
  const turn = () => Math.floor(clock.monotonicMs() / tokenMs);
  const tokenOf = (address: string, at: number) =>
    createHmac("sha256", secret).update(`${at} ${address}`).digest().subarray(0, tokenBytes);
  return {
    tokenFor: (address) => tokenOf(address, turn()),
    isProof: (address, token) =>
      [turn(), turn() - 1].some((at) => timingSafeEqual(tokenOf(address, at), token)),
  };
}
