/**
 * Keeps the page up to date. Changes arrive as server-sent events; if these cannot be opened, all
 * data is requested again every 15 seconds. A hidden page sends no requests.
 */
import { signal, type Signal } from "@preact/signals";
import { watchLive, type LiveTopic, type LiveValue } from "../../api/client/live-client.ts";

import { isPublished } from "./published.ts";

export type { LiveTopic, LiveValue };

export type LiveState = "connecting" | "live" | "offline" | "paused";
const liveTopics = ["status", "queue", "records", "campaigns", "fleet"] as const satisfies readonly LiveTopic[]; // prettier-ignore

export const liveState = signal<LiveState>("connecting");
/** By the browser's clock. */
export const lastHeardMs = signal(Date.now());
/** False: values are not pushed. Undefined: not known yet. */
export const isStreaming = signal<boolean | undefined>(undefined);

/** Topics that the server could not read, and for which it has sent no value. */
export const faultyTopics = signal<ReadonlySet<LiveTopic>>(new Set());

const pollMs = 15_000;
const burstMs = 700;
/** Minimum intervals: requests after a change of the queue are the most expensive. */
const calmMs: Readonly<Partial<Record<LiveTopic, number>>> = { queue: 5_000, records: 2_000 };
const listeners = new Map<LiveTopic, Set<() => void>>();
const due = new Set<LiveTopic>();
const notifiedMs = new Map<LiveTopic, number>();
const values = new Map<LiveTopic, Signal<unknown>>();
let isPaused = false;
let stream: { stop(): void } | undefined;

/** The newest value of a topic; undefined before the first one. */
export function liveValue<T extends LiveTopic>(topic: T): Signal<LiveValue<T> | undefined> {
  let found = values.get(topic);
  if (!found) values.set(topic, (found = signal<unknown>(undefined)));
  return found as Signal<LiveValue<T> | undefined>;
}

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
  if (next) return closeStream();
  openStream();
  for (const topic of liveTopics) changed(topic);
}

/** Calls the listener when one of the topics has changed. Returns a function that unsubscribes. */
export function onLive(topics: readonly LiveTopic[], listener: () => void): () => void {
  for (const topic of topics) {
    const found = listeners.get(topic) ?? new Set();
    listeners.set(topic, found.add(listener));
  }
  return () => {
    for (const topic of topics) listeners.get(topic)?.delete(listener);
  };
}

/** Several changes in a short time cause one request. */
function changed(topic: LiveTopic): void {
  if (isPaused) return;
  if (due.size === 0) setTimeout(notifyListeners, burstMs);
  due.add(topic);
}

function notifyListeners(): void {
  const nowMs = Date.now();
  const isCalm = (topic: LiveTopic) =>
    nowMs - (notifiedMs.get(topic) ?? 0) >= (calmMs[topic] ?? burstMs);
  const ready = [...due].filter(isCalm);
  for (const topic of ready) {
    due.delete(topic);
    notifiedMs.set(topic, nowMs);
  }
  if (due.size > 0) setTimeout(notifyListeners, burstMs);
  if (document.hidden || isPaused) return;
  const toNotify = new Set(ready.flatMap((topic) => [...(listeners.get(topic) ?? [])]));
  for (const listener of toNotify) listener();
}

function openStream(): void {
  stream ??= watchLive({
    topics: liveTopics,
    fetch: (url, init) => fetch(url, init),
    wait: (ms, ended) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        ended.addEventListener("abort", () => {
          clearTimeout(timer);
          reject(new Error("no longer needed"));
        });
      }),
    onValue(topic, value) {
      markOnline();
      const kept = liveValue(topic);
      // The data on the page was requested just before, so the first value is not a change.
      const isFirst = kept.peek() === undefined;
      kept.value = value;
      if (faultyTopics.value.has(topic)) {
        faultyTopics.value = new Set([...faultyTopics.value].filter((one) => one !== topic));
      }
      if (!isFirst) changed(topic);
    },
    onFault(topic) {
      if (liveValue(topic).peek() !== undefined) return;
      faultyTopics.value = new Set([...faultyTopics.value, topic]);
    },
    onState(state) {
      isStreaming.value = state === "open";
      if (state === "open") markOnline();
      if (state === "lost") markOffline();
    },
  });
}

function closeStream(): void {
  stream?.stop();
  stream = undefined;
}

export function startLive(): void {
  if (isPublished) return void (isStreaming.value = false);
  if (!document.hidden) openStream();
  setInterval(() => {
    if (document.hidden || isStreaming.value === true) return;
    for (const topic of liveTopics) changed(topic);
  }, pollMs);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return closeStream();
    if (isPaused) return;
    openStream();
    for (const topic of liveTopics) changed(topic);
  });
}
