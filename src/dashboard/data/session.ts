/** Who looks, at which environment, and by which clock. Asked once, then after each reconnect. */
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

/** Buttons that the server would refuse are not shown. */
export function may(scope: Session["scopes"][number]): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}
