export { formatAddress, isLoopback, parseAddress, type Address } from "./address.ts";
export { dropReasons, type DropReason, type GossipCounters } from "./counters.ts";
export {
  createBucketDiscovery,
  type BucketDiscoveryOptions,
} from "./discovery/bucket-discovery.ts";
export type { Discovery, OnPeersFound } from "./discovery/discovery.ts";
export { reachOf, type Reach } from "./discovery/reach.ts";
export { createStaticDiscovery, parsePeer } from "./discovery/static-discovery.ts";
export { createGossip, type FoundPeer, type Gossip, type GossipOptions } from "./gossip.ts";
export type { PeerView } from "./gossip.ts";
export { keyBytes, keysMax, makeKey, parseKeyring, type Keyring } from "./keyring.ts";
export type { How } from "./peers.ts";
export { isOrigin, type Range, type ReadAsk, type GossipReplica } from "./replica.ts";
export { topicNames, type TopicListener, type Topic } from "./topics.ts";
export { packetBytesMax, portDefault, type PullTransport, type Transport } from "./transport.ts";
export { clusterHash } from "./wire/packet.ts";
