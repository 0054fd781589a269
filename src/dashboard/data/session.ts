/**
 * The signed-in user, the environment, and the server's clock. Requested once, then after each
 * reconnect.
 */
import { signal } from "@preact/signals";
import { api, type AnswerOf } from "./api.ts";
import { clockOffsetMs } from "./format.ts";
import { noteFailure } from "./resource.ts";

export type Session = AnswerOf<"GET", "/api/session">;

export const session = signal<Session | undefined>(undefined);

export async function loadSession(): Promise<void> {
  try {
    const askedMs = Date.now();
    const found = await api.get("/api/session");
    const middleMs = (askedMs + Date.now()) / 2;
    clockOffsetMs.value = found.nowMs - middleMs;
    session.value = found;
  } catch (error) {
    noteFailure(error);
  }
}

/** Hides buttons whose requests the server would refuse. */
export function may(scope: Session["scopes"][number]): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}
