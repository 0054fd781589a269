/**
 * A node of a fleet as a process that does what it is told, a line each on standard input: `write
 * COUNT` writes so many commits, `look` says how it is. Each is answered by a line of JSON. It ends
 * with its standard input. Arguments: data folder, name, and settings as JSON.
 */
import { createInterface } from "node:readline";
import { openBucket } from "../../src/app/bucket/open-bucket.ts";
import { openNodeIn } from "../../src/app/node/open-node.ts";
import { createId } from "../../src/base/ids.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { systemRandom } from "../../src/base/random.ts";
import { readVersion } from "../../src/base/version.ts";
import { createPaths } from "../../src/config/index.ts";
import { parseKeyring } from "../../src/gossip/index.ts";

export interface FleetNodeSettings {
  readonly key: string;
  readonly isGossip: boolean;
  readonly peers: readonly string[];
  readonly bucket?: string;
}

export interface FleetNodeView {
  readonly digest: string;
  readonly datagrams: number;
  readonly peers: number;
}

if (process.argv[1]?.endsWith("fleet-node.ts")) await main(process.argv.slice(2));

async function main([folder = "", name = "", text = "{}"]: readonly string[]): Promise<void> {
  const settings = JSON.parse(text) as FleetNodeSettings;
  const { bucket: address } = settings;
  const bucket = address === undefined ? undefined : await openBucket(address);
  const keyring = parseKeyring([settings.key]);
  await using node = await openNodeIn({
    kind: "service",
    paths: createPaths(folder),
    log: silentLogger,
    user: name,
    version: readVersion(),
    services: {
      gossip: {
        on: settings.isGossip ? "yes" : "no",
        keys: undefined,
        cluster: "test",
        host: "0.0.0.0",
        port: 9_999,
        peers: settings.peers.join(","),
        mdns: "no",
      },
      ledger: { hub: "never", archive: "keep" },
      keyring: () => keyring,
      bucket: bucket && { address: address!, opened: () => bucket, isFree: true },
      config: () => "test",
      label: "test",
    },
  });
  const { ledger, fleet } = node.api;
  const say = (answer: unknown) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  // What is written in another life is something else, or nothing would be new.
  const life = createId(systemRandom, 4);
  let count = 0;
  const write = async (commits: number) => {
    for (const end = count + commits; count < end; count++) {
      const target = `company/${count % 7}`;
      // Some have no room in a packet.
      const long = count % 10 === 9 ? "x".repeat(30_000) : count;
      const values = { [`by/${name}-${life}/${count}`]: long, shared: `${life} ${count}` };
      const changes = Object.entries(values).map(([field, value]) => ({ target, field, value }));
      await ledger.write({ source: `site:https://${name}.test`, changes });
    }
  };
  const look = async (): Promise<FleetNodeView> => ({
    digest: await ledger.digest(),
    datagrams: Object.values(await ledger.vector()).reduce((sum, one) => sum + one, 0),
    peers: (await fleet.view())?.peers.length ?? 0,
  });
  say("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    const [order, number] = line.split(" ");
    if (order === "write") await write(Number(number));
    say(await look());
  }
}
