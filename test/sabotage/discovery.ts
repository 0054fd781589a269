import type { Sabotage } from "./sabotage.ts";

const reach = "src/gossip/discovery/reach.test.ts";
const hint = "src/gossip/discovery/read-hint.test.ts";
const named = "src/gossip/discovery/static-discovery.test.ts";
const bucket = "src/gossip/discovery/bucket-discovery.test.ts";
const mdns = "src/gossip/adapters/mdns/mdns-discovery.test.ts";

/** Known-wrong variants of how nodes find each other. */
export const discoverySabotages: readonly Sabotage[] = [
  {
    name: "addresses inside of this machine are announced",
    file: "src/gossip/discovery/reach.ts",
    find: "!has(nowhere, host) && !has(inner, host)",
    replace: "!has(nowhere, host)",
    caughtBy: `${reach} > neither loopback nor link-local nor what is inside of this machine`,
  },
  {
    name: "link-local addresses are announced",
    file: "src/gossip/discovery/reach.ts",
    find: '  ["169.254.0.0", 16],\n',
    replace: "",
    caughtBy: `${reach} > neither loopback nor link-local nor what is inside of this machine`,
  },
  {
    name: "a node of another fleet is believed",
    file: "src/gossip/discovery/read-hint.ts",
    find: ' || said["cluster"] !== cluster',
    replace: "",
    caughtBy: `${hint} > another fleet`,
  },
  {
    name: "any name is believed to be a node's",
    file: "src/gossip/discovery/read-hint.ts",
    find: "!isName(id)",
    replace: 'id === ""',
    caughtBy: `${hint} > lesson 45: a name that leads out of a folder`,
  },
  {
    name: "all addresses of a name are taken",
    file: "src/gossip/discovery/static-discovery.ts",
    find: "hosts.slice(0, addressesMax)",
    replace: "hosts",
    caughtBy: `${named} > a name with many addresses gives some`,
  },
  {
    name: "a name is looked up once",
    file: "src/gossip/discovery/static-discovery.ts",
    find: "let delayMs = againMs;",
    replace: "let delayMs = 1_000 * againMs;",
    caughtBy: `${named} > a name that gets another address is found there`,
  },
  {
    name: "a node that hears others looks as often as one that is alone",
    file: "src/gossip/discovery/bucket-discovery.ts",
    find: "isAlone() && !hasFailed",
    replace: "!hasFailed",
    caughtBy: `${bucket} > among others it looks less and less`,
  },
  {
    name: "heads are read whether they changed or not",
    file: "src/gossip/discovery/bucket-discovery.ts",
    find: "if (known?.etag === etag) return known;",
    replace: "",
    caughtBy: `${bucket} > alone it looks once a minute at most, and reads only what has changed`,
  },
  {
    name: "nodes that are gone are looked for",
    file: "src/gossip/discovery/bucket-discovery.ts",
    find: "const goneMs = 86_400_000;",
    replace: "const goneMs = 86_400_000_000;",
    caughtBy: `${bucket} > a node that is gone for a day is not looked for`,
  },
  {
    name: "mdns is started again without a pause",
    file: "src/gossip/adapters/mdns/mdns-discovery.ts",
    find: "restartMs.min * 2 ** (failures - 1)",
    replace: "restartMs.min",
    caughtBy: `${mdns} > what fails in a thread stays there`,
  },
  {
    name: "each failure of mdns is said",
    file: "src/gossip/adapters/mdns/mdns-discovery.ts",
    find: "if (failures === 1) log.warn",
    replace: "if (failures > 0) log.warn",
    caughtBy: `${mdns} > what fails in a thread stays there`,
  },
  {
    name: "an address that is gone is announced for good",
    file: "src/gossip/adapters/mdns/mdns-discovery.ts",
    find: 'ownHosts().join(" ") === current.hosts',
    replace: "current.hosts",
    caughtBy: `${mdns} > other addresses are announced by another thread`,
  },
];
