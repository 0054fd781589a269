import type { Sabotage } from "./sabotage.ts";

const gossip = "src/gossip/gossip.test.ts";
const peers = "src/gossip/peers.test.ts";
const hostile = "src/gossip/hostile.test.ts";
const wire = "src/gossip/wire/wire.test.ts";
const inbox = "src/gossip/inbox.test.ts";
const fetches = "src/gossip/fetch-scheduler.test.ts";
const simulation = "test/simulation/gossip-simulation.test.ts";

const inPackets: readonly Sabotage[] = [
  {
    name: "a tag that does not fit is let pass",
    file: "src/gossip/wire/packet.ts",
    find: "    return undefined;\n  }\n  return body;",
    replace: "    return body;\n  }\n  return body;",
    caughtBy: `${hostile} > a packet changed in a single bit is none`,
  },
  {
    name: "the counter is not part of the nonce",
    file: "src/gossip/wire/packet.ts",
    find: "nonce.writeUIntBE(counter, 12",
    replace: "nonce.writeUIntBE(counter * 0, 12",
    caughtBy: `${wire} > the bytes of one are pinned`,
  },
  {
    name: "all sessions share one key, and so their nonces",
    file: "src/gossip/keyring.ts",
    find: "`forager gossip 1/${node}/${session}`",
    replace: "`forager gossip 1/${node.slice(0, 0)}${session.slice(0, 0)}`",
    caughtBy: `${wire} > two never share key and nonce`,
  },
  {
    name: "replays are not looked for",
    file: "src/gossip/sealer.ts",
    find: "if (peer && !peer.window.isNew(header.counter))",
    replace: "if (peer && header.counter < 0)",
    caughtBy: `${hostile} > a replay is dropped`,
  },
  {
    name: "the window forgets what it has seen when it moves",
    file: "src/gossip/wire/replay-window.ts",
    find: "seen[wordOf(counter)]! |= bitOf(counter);",
    replace: "seen[wordOf(counter)]! = bitOf(counter);",
    caughtBy: `${wire} > lets each counter in once`,
  },
  {
    name: "whoever has the key is let in, recorded or not",
    file: "src/gossip/handshake.ts",
    find: "if (!isProved) return undefined;",
    replace: "if (!isProved && items.length > 1_000) return undefined;",
    caughtBy: `${hostile} > a replay is dropped`,
  },
  {
    name: "a key that was taken out is still accepted from who is known",
    file: "src/gossip/gossip.ts",
    find: "for (const peer of peers.all()) peer.subkey = undefined;",
    replace: "for (const peer of peers.all()) peer.equalHash = '';",
    caughtBy: `${hostile} > rotate without a break`,
  },
  {
    name: "an empty list of keys is accepted",
    file: "src/gossip/keyring.ts",
    find: 'if (keys.length === 0) throw badKeys("there is none");',
    replace: "",
    caughtBy: `${hostile} > without one there is no gossip`,
  },
  {
    name: "names that arrive are not looked at",
    file: "src/gossip/replica.ts",
    find: "/^[0-9a-z]{1,32}$/",
    replace: "/^.{0,32}/s",
    caughtBy: `${hostile} > names that lead elsewhere`,
  },
];

const inSpreading: readonly Sabotage[] = [
  {
    name: "a hole is asked for at once, though it may be under way",
    file: "src/gossip/fetch-scheduler.ts",
    find: "fetches.set(origin, want);\n      again(want, limits.holeMs);",
    replace: "fetches.set(origin, want);\n      again(want, 0);",
    caughtBy: `${gossip} > a hole is asked for 50 ms after it was seen`,
  },
  {
    name: "what came before its predecessors is thrown away",
    file: "src/gossip/inbox.ts",
    find: "if (!makeRoom(origin, number, record.length))",
    replace: "if (number > have + came.length || !makeRoom(origin, number, record.length))",
    caughtBy: `${gossip} > a hole is asked for 50 ms after it was seen`,
  },
  {
    name: "nobody is told what we have",
    file: "src/gossip/conversation.ts",
    find: "const [peer] = peers.some(1);",
    replace: "const [peer] = peers.some(0);",
    caughtBy: `${gossip} > with every push lost, a digest finds what is missing`,
  },
  {
    name: "the digest does not see numbers",
    file: "src/gossip/digest.ts",
    find: "hash.update(`${origin} ${number}\\n`)",
    replace: "hash.update(`${origin} ${number > 0}\\n`)",
    caughtBy: `${gossip} > with every push lost, a digest finds what is missing`,
  },
  {
    name: "of a long vector always the same part is told",
    file: "src/gossip/conversation.ts",
    find: "start: peer.chunkAt,",
    replace: 'start: "",',
    caughtBy: `${gossip} > a vector that fills several packets heals too`,
  },
  {
    name: "in a large fleet nobody passes on what is new",
    file: "src/gossip/pushes.ts",
    find: "if (hops === 0 || !isLarge()) return;",
    replace: "if (hops >= 0 || !isLarge()) return;",
    caughtBy: `${gossip} > above 16 peers some get it`,
  },
  {
    name: "what was offered in vain is never offered again",
    file: "src/gossip/inbox.ts",
    find: "edge === have || edge === lane.offeredTo) return;",
    replace: "edge === have || lane.offeredTo > 0) return;",
    caughtBy: `${gossip} > what a replica takes only whole`,
  },
  {
    name: "what waits has no limit",
    file: "src/gossip/inbox.ts",
    find: "bytes + size > limits.waitingBytesMax",
    replace: "bytes + size < 0",
    caughtBy: `${inbox} > keeps within its bytes`,
  },
  {
    name: "what waits is not looked at when the bucket fills the hole",
    file: "src/gossip/inbox.ts",
    find: "        begin(origin, lane);\n      }\n    },\n    waiting",
    replace: "      }\n    },\n    waiting",
    caughtBy: `${inbox} > stores what waited once the hole was filled`,
  },
  {
    name: "two ranges of one origin are stored at the same time",
    file: "src/gossip/inbox.ts",
    find: "if (lane.storing || edge === have",
    replace: "if (edge === have",
    caughtBy: `${simulation} > six small fleets come to agree`,
  },
  {
    name: "who asks without end is answered without end",
    file: "src/gossip/answers.ts",
    find: "!peer.answers.take(askBytes)) {",
    replace: "peer.answers.left() < 0) {",
    caughtBy: `${hostile} > a peer that asks without end`,
  },
  {
    name: "who was in vain often rests for a minute, whatever digests tell",
    file: "src/gossip/fetch-scheduler.ts",
    find: "again(want, came ? 0 : timeoutMs(peer, want.tries));",
    replace: "again(want, came ? 0 : limits.askTimeoutMsMin * 2 ** want.tries);",
    caughtBy: `${fetches} > after any number of failed requests`,
  },
  {
    name: "what is known already is passed on again",
    file: "src/gossip/conversation.ts",
    find: "for (const range of receive(peer, item.range)) pushes.relay(range, item.hops, peer);",
    replace: "receive(peer, item.range);\n        pushes.relay(item.range, item.hops, peer);",
    caughtBy: `${simulation} > two large fleets do so too`,
  },
  {
    name: "all who have what is missing are asked for it at once",
    file: "src/gossip/fetch-scheduler.ts",
    find: "    send(peer, asks);",
    replace: "    for (const one of candidates(origin, first.from).willing) send(one, asks);",
    caughtBy: `${simulation} > two large fleets do so too`,
  },
  {
    name: "every second everybody is told what we have",
    file: "src/gossip/conversation.ts",
    find: "      send(peer, [summary(), ...more]);",
    replace: "      for (const one of peers.all()) send(one, [summary(), ...more]);",
    caughtBy: `${simulation} > six small fleets come to agree`,
  },
  {
    name: "what is said twice is heard twice",
    file: "src/gossip/topics.ts",
    find: "at <= (peer.lastMessage.get(topic) ?? 0)",
    replace: "at < (peer.lastMessage.get(topic) ?? 0)",
    caughtBy: `${gossip} > is received once by all subscribers`,
  },
];

const inPeers: readonly Sabotage[] = [
  {
    name: "peers never expire",
    file: "src/gossip/peers.ts",
    find: "if (isQuiet(peer, limits.forgetMs)) forget(peer);",
    replace: "if (isQuiet(peer, limits.forgetMs * 1_000)) forget(peer);",
    caughtBy: `${peers} > lesson 45`,
  },
  {
    name: "addresses that discovery found are greeted for ever",
    file: "src/gossip/peer-table.ts",
    find: 'how !== "static" && clock.monotonicMs()',
    replace: 'how === "heard" && clock.monotonicMs()',
    caughtBy: `${peers} > lesson 45`,
  },
  {
    name: "an old packet moves a peer",
    file: "src/gossip/peers.ts",
    find: "if (counter <= peer.newestCounter) return;",
    replace: "if (counter < 0) return;",
    caughtBy: `${peers} > a newer packet from elsewhere moves a peer`,
  },
  {
    name: "a restart leaves its earlier life among the peers",
    file: "src/gossip/peers.ts",
    find: "if (before && before !== peer) forget(before);",
    replace: "if (before && before === peer) forget(before);",
    caughtBy: `${peers} > a restart at the same address`,
  },
];

export const gossipSabotages: readonly Sabotage[] = [...inPackets, ...inSpreading, ...inPeers];
