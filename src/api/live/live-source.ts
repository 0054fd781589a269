import type { LiveTopic, LiveValue } from "../contract/event-routes.ts";
import type { ApiServices, Fixed } from "../services.ts";

/** The source of the values of a topic. It is read only while somebody watches the topic. */
export interface LiveSource<T extends LiveTopic = LiveTopic> {
  read(): Promise<Fixed<LiveValue<T>>>;
  /** Interval between two reads. */
  everyMs(): number;
}

export type LiveSources = { readonly [T in LiveTopic]: LiveSource<T> };

const companiesMax = 100_000;
const commandsShown = 20;

/** Sources whose requests cost money are read less often. */
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
      // Poll quickly while a user waits for the acknowledgements of nodes.
      everyMs: () => (hasPendingCommand ? 1_000 : bucketMs),
    },
  };
}

/** Each write of a node increments its number, so equal vectors mean equal records. */
const versionOf = (vector: Readonly<Record<string, number>>): string =>
  Object.entries(vector)
    .map(([node, number]) => `${node}:${number}`)
    .sort()
    .join(" ");
