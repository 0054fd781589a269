export { createFleetMember } from "./fleet-member.ts";
export { openNode } from "./open-node.ts";
export { runNode } from "./run-node.ts";
