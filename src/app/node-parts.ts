export { watchFolder } from "./watch-folder.ts";
export { createFleetMember } from "./fleet-member.ts";
export { gossipPeersOf } from "./open-gossip.ts";
export { runNode } from "./run-node.ts";
