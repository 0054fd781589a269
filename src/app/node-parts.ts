export { createFleetMember } from "./fleet-member.ts";
export { runNode } from "./run-node.ts";
