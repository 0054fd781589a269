import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import type { Paths } from "../../config/index.ts";
import type { MeetingPoint } from "../../node/index.ts";

/** The lock and the socket by which the processes of a data folder find each other. */
export async function openMeetingPoint(options: {
  readonly paths: Pick<Paths, "resolve">;
  readonly log: Logger;
}): Promise<MeetingPoint> {
  const { createFolderMeetingPoint } =
    await import("../../node/adapters/folder/folder-meeting-point.ts");
  const { pid } = process;
  return createFolderMeetingPoint({ ...options, clock: systemClock, random: systemRandom, pid });
}
