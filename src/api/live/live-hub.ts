import { createId } from "../../base/ids.ts";
import type { Timer } from "../../base/clock.ts";
import { liveTopics, type LiveEvent, type LiveTopic } from "../contract/event-routes.ts";
import { ProblemError } from "../problems.ts";
import type { ApiServices } from "../services.ts";
import { createLiveSources, type LiveSources } from "./live-source.ts";
import { createTopicWatcher, type TopicWatcher } from "./topic-watcher.ts";
import { createViewer, type Viewer } from "./viewer.ts";

/**
 * Sends live events to many viewers.
 * - Each topic is read by one watcher, and only while somebody watches it.
 * - A viewer gets a snapshot of each topic, then deltas; applied in order, they give the value.
 * - An event has an id once the viewer has all its snapshots. A viewer that reconnects with the id
 *   of its last event gets the events it missed if they are still kept; otherwise a reset and snapshots.
 * - A viewer that reads too slowly loses events but stays consistent: it gets a reset and
 *   snapshots.
 * - If all places are taken, the user who has most of them loses the oldest to a user who has fewer,
 *   so that nobody keeps all others out.
 */
export interface LiveHub {
  open(request: WatchRequest): ReadableStream<Uint8Array>;
  /** Reports that a topic has probably changed. */
  poke(topic: LiveTopic): void;
  viewers(): number;
  close(): void;
}

export interface WatchRequest {
  readonly topics: readonly LiveTopic[];
  readonly lastEventId: string | undefined;
  /** Whose viewer it is. */
  readonly user: string;
  /** Fires when the viewer has lost its access: its stream ends. */
  readonly ended?: AbortSignal;
}

export const viewersMax = 500;
const keptEventsMax = 1_000;
const keptBytesMax = 2_000_000;
const pingMs = 15_000;

interface KeptEvent {
  readonly number: number;
  readonly topic: LiveTopic;
  readonly event: LiveEvent;
  readonly bytes: number;
}

type Services = Pick<ApiServices, "clock" | "random" | "log">;

export const createLiveHub = (services: ApiServices): LiveHub =>
  createLiveHubOf(services, createLiveSources(services));

export function createLiveHubOf({ clock, random, log }: Services, sources: LiveSources): LiveHub {
  const run = createId(random, 10);
  const viewers = new Set<Viewer>();
  const kept: KeptEvent[] = [];
  let keptBytes = 0;
  let number = 0;
  let pinging: Timer | undefined;

  const idFor = (viewer: Viewer) =>
    viewer.awaiting.size > 0 ? undefined : `${run}.${number}.${maskOf(viewer.topics)}`;

  const keep = (topic: LiveTopic, event: LiveEvent) => {
    const bytes = JSON.stringify(event).length;
    number += 1;
    kept.push({ number, topic, event, bytes });
    keptBytes += bytes;
    while (kept.length > keptEventsMax || keptBytes > keptBytesMax) {
      keptBytes -= kept.shift()!.bytes;
    }
  };

  const sendSnapshots = (viewer: Viewer) => {
    for (const topic of viewer.awaiting) {
      const value = watchers[topic].current();
      if (value === undefined) continue;
      viewer.awaiting.delete(topic);
      viewer.send({ kind: "snapshot", topic, value } as LiveEvent, idFor(viewer));
    }
  };

  const watchers = Object.fromEntries(
    liveTopics.map((topic) => {
      const watching = () => [...viewers].filter((viewer) => viewer.topics.includes(topic));
      const watcher = createTopicWatcher({
        topic,
        source: sources[topic],
        clock,
        log,
        onValue(_, fields) {
          const event = fields && ({ kind: "delta", topic, fields } as LiveEvent);
          if (event) keep(topic, event);
          for (const viewer of watching()) {
            if (viewer.awaiting.has(topic)) sendSnapshots(viewer);
            else if (event) viewer.send(event, idFor(viewer));
          }
        },
        onFault(detail) {
          for (const viewer of watching()) viewer.send({ kind: "fault", topic, detail });
        },
      });
      return [topic, watcher];
    }),
  ) as Record<LiveTopic, TopicWatcher>;

  const ping = () => {
    for (const viewer of viewers) viewer.ping();
    pinging = clock.setTimer(pingMs, ping, { background: true });
  };

  const startAgain = (viewer: Viewer, why: string) => {
    for (const topic of viewer.topics) viewer.awaiting.add(topic);
    viewer.send({ kind: "reset", why });
  };

  /** Sends the events that the viewer missed; returns false if that is not possible. */
  const resume = (viewer: Viewer, lastEventId: string): boolean => {
    const [, of, last, mask] = /^(\w+)\.(\d{1,15})\.(\d{1,3})$/.exec(lastEventId) ?? [];
    if (of !== run || mask !== String(maskOf(viewer.topics))) return false;
    const seen = Number(last);
    if (seen > number || seen < number - kept.length) return false;
    viewer.awaiting.clear();
    for (const { number: at, topic, event } of kept) {
      if (at <= seen || !viewer.topics.includes(topic)) continue;
      viewer.send(event, `${run}.${at}.${mask}`);
    }
    return true;
  };

  /** False: nobody has more viewers than this user would have then. */
  const makePlace = (user: string): boolean => {
    const counts = new Map<string, number>([[user, 1]]);
    for (const one of viewers) counts.set(one.user, (counts.get(one.user) ?? 0) + 1);
    const [greediest, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
    if (most <= counts.get(user)!) return false;
    [...viewers].find((one) => one.user === greediest)!.end();
    return true;
  };

  return {
    open({ topics, lastEventId, user, ended }) {
      if (viewers.size >= viewersMax && !makePlace(user)) {
        const detail = `${viewersMax} connections watch already: close some, or ask again later`;
        throw new ProblemError(503, "too_many_viewers", detail);
      }
      const onEnded = () => viewer.end();
      const viewer = createViewer({
        topics,
        user,
        nowMs: () => clock.monotonicMs(),
        onLost() {
          startAgain(viewer, "it was read too slowly");
          sendSnapshots(viewer);
        },
        onGone() {
          ended?.removeEventListener("abort", onEnded);
          viewers.delete(viewer);
          for (const topic of topics) {
            const isWatched = [...viewers].some((other) => other.topics.includes(topic));
            if (!isWatched) watchers[topic].stop();
          }
          if (viewers.size === 0) pinging?.cancel();
        },
      });
      if (lastEventId !== undefined && lastEventId !== "" && !resume(viewer, lastEventId)) {
        startAgain(viewer, "the missed events are no longer stored");
      }
      if (viewers.size === 0) pinging = clock.setTimer(pingMs, ping, { background: true });
      viewers.add(viewer);
      ended?.addEventListener("abort", onEnded, { once: true });
      sendSnapshots(viewer);
      for (const topic of topics) {
        const detail = watchers[topic].fault();
        if (detail !== undefined) viewer.send({ kind: "fault", topic, detail });
        watchers[topic].start();
      }
      return viewer.stream;
    },
    poke: (topic) => watchers[topic].poke(),
    viewers: () => viewers.size,
    close() {
      for (const viewer of viewers) viewer.end();
    },
  };
}

/** The topics that an event id is valid for, as a bit mask. */
const maskOf = (topics: readonly LiveTopic[]): number =>
  liveTopics.reduce((mask, topic, at) => mask + (topics.includes(topic) ? 2 ** at : 0), 0);
