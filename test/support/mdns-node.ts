/**
 * `mdns-node.ts NODE CLUSTER PORT`: a node that does nothing but look for others by mDNS and be
 * found. A line on standard output for each telling, and for each line of its log; it ends when
 * its standard input does.
 */
import { once } from "node:events";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger, type Logger } from "../../src/base/log/logger.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createMdnsDiscovery } from "../../src/gossip/adapters/mdns/mdns-discovery.ts";
import { reachOf } from "../../src/gossip/discovery/reach.ts";

const [node = "", cluster = "", port = ""] = process.argv.slice(2);
const bound = `0.0.0.0:${port}`;
const print = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);
const say: Logger["warn"] = (message, fields) => print({ said: message, ...fields });

const discovery = createMdnsDiscovery({
  node,
  cluster,
  bound,
  reach: () => reachOf({ bound }),
  found: (peers) => print({ peers }),
  clock: systemClock,
  random: systemRandom,
  log: { ...silentLogger, debug: say, info: say, warn: say, error: say },
});
print({ ready: true });
process.stdin.resume();
await once(process.stdin, "end");
await discovery[Symbol.asyncDispose]();
print({ ended: true });
