/** Whether the page is up to date: changes arrive by server-sent events, with polling as a net. */
import { signal } from "@preact/signals";

export type LiveState = "connecting" | "live" | "offline" | "paused";
export const liveTopics = ["status", "queue", "records", "campaigns", "fleet"] as const;
export type LiveTopic = (typeof liveTopics)[number];

export const liveState = signal<LiveState>("connecting");
/** By the browser's clock. */
export const lastHeardMs = signal(Date.now());

const pollMs = 15_000;
const burstMs = 700;
const listeners = new Map<LiveTopic, Set<() => void>>();
const due = new Set<LiveTopic>();
let isPaused = false;

export function markOnline(): void {
  lastHeardMs.value = Date.now();
  if (!isPaused) liveState.value = "live";
}

export function markOffline(): void {
  if (!isPaused) liveState.value = "offline";
}

export function setPaused(next: boolean): void {
  isPaused = next;
  liveState.value = next ? "paused" : "connecting";
  if (!next) for (const topic of liveTopics) changed(topic);
}

/** Calls when one of the topics changed. Returns a function that ends it. */
export function onLive(topics: readonly LiveTopic[], listener: () => void): () => void {
  for (const topic of topics) {
    const found = listeners.get(topic) ?? new Set();
    listeners.set(topic, found.add(listener));
  }
  return () => {
    for (const topic of topics) listeners.get(topic)?.delete(listener);
  };
}

/** Many changes in a short time ask once. */
function changed(topic: LiveTopic): void {
  if (isPaused) return;
  if (due.size === 0) setTimeout(tellListeners, burstMs);
  due.add(topic);
}

function tellListeners(): void {
  const told = new Set([...due].flatMap((topic) => [...(listeners.get(topic) ?? [])]));
  due.clear();
  if (document.hidden || isPaused) return;
  for (const listener of told) listener();
}

export function startLive(): void {
  setInterval(() => {
    if (!document.hidden) for (const topic of liveTopics) changed(topic);
  }, pollMs);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) for (const topic of liveTopics) changed(topic);
  });
}
