import type { fleetRoutes } from "../contract/fleet-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const fleetHandlers: HandlersOf<typeof fleetRoutes> = {
  showFleet: (_, { fleet }) => fleet.show(),
  giveCommand: ({ body: { node, what } }, { fleet, caller }) =>
    fleet.give(node, what, {
      by: `hand:${caller.user}`,
      mayReachOutside: caller.scopes.includes("users:admin"),
    }),
  listCommands: async ({ query: { limit } }, { fleet }) => ({ rows: await fleet.commands(limit) }),
  showCommand: ({ params: { revision } }, { fleet }) => fleet.command(revision),
  undoCommand: ({ params: { revision } }, { fleet, caller }) =>
    fleet.undo(revision, `hand:${caller.user}`),
  bucketUsage: ({ query: { days } }, { usage }) => usage(days),
  readLogs: ({ query }, { fleet }) => fleet.logs(query),
  followLogs: ({ body: { node } }, { fleet, caller }) =>
    fleet.followLogs(node, `hand:${caller.user}`),
  showSettings: async (_, { settings }) => ({ rows: settings() }),
};
