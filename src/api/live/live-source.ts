import type { LiveTopic, LiveValue } from "../contract/event-routes.ts";
import type { ApiServices, Fixed } from "../services.ts";

/** Where the value of a topic comes from. It is read only while somebody watches. */
export interface LiveSource<T extends LiveTopic = LiveTopic> {
  read(): Promise<Fixed<LiveValue<T>>>;
  /** Interval between two reads. */
  everyMs(): number;
}

export type LiveSources = { readonly [T in LiveTopic]: LiveSource<T> };

const companiesMax = 100_000;
const commandsShown = 20;

/** What costs money per request is read less often. */
export function createLiveSources(services: ApiServices): LiveSources {
  const { node, isCharged } = services;
  const bucketMs = isCharged.bucket ? 15_000 : 3_000;
  let hasPendingCommand = false;
  return {
    status: {
      read: () => services.status({ isCluster: true }),
      everyMs: () => bucketMs,
    },
    queue: {
      async read() {
        const queue = await services.queue();
        const [{ ms }, stats, log] = await Promise.all([
          queue.now(),
          queue.stats(),
          queue.logStats(),
        ]);
        return { atMs: ms, ...stats, log };
      },
      everyMs: () => (isCharged.queue ? 15_000 : 1_000),
    },
    records: {
      async read() {
        const vector = await node.ledger.vector();
        const companies = await node.records.count({ kind: "company" }, companiesMax);
        return { version: versionOf(vector), companies };
      },
      everyMs: () => 1_000,
    },
    campaigns: {
      read: async () => ({ rows: await services.campaigns.list() }),
      everyMs: () => 5_000,
    },
    fleet: {
      async read() {
        const [shown, commands] = [
          await services.fleet.show(),
          await services.fleet.commands(commandsShown),
        ];
        hasPendingCommand = commands.some(({ state }) => state === "pending");
        return { ...shown, commands };
      },
      // Somebody waits for the answers of the nodes.
      everyMs: () => (hasPendingCommand ? 1_000 : bucketMs),
    },
  };
}

/** Each write of each node raises its number, so equal vectors mean equal records. */
const versionOf = (vector: Readonly<Record<string, number>>): string =>
  Object.entries(vector)
    .map(([node, number]) => `${node}:${number}`)
    .sort()
    .join(" ");
