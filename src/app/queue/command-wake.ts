import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Paths } from "../../config/index.ts";
import type { NodeWake } from "../../node/index.ts";
import { openMeetingPoint } from "../node/meeting-point.ts";

/**
 * Wake-ups for a short command: if the data folder has an owner, asks it to wake up the fleet. It
 * never listens for wake-ups, because a short command does not wait for tasks.
 */
export function createCommandWake(options: {
  readonly paths: Pick<Paths, "resolve">;
  readonly log: Logger;
  readonly version: string;
}): NodeWake {
  return {
    async added() {
      const { connectToNode } = await import("../../node/index.ts");
      const point = await openMeetingPoint(options);
      using node = await connectToNode({ ...options, point, clock: systemClock });
      await node?.api.wake.added();
    },
    listen: async () => {},
  };
}
