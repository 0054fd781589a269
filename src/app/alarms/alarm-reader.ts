import type { Alarm, AlarmReading } from "../../notify/index.ts";
import { openFleet } from "../node/open-fleet.ts";
import { alarmsOf, alertAlarm } from "../status/attention.ts";
import { gatherParts } from "../status/gather-status.ts";
import type { OwnerAlarmsOptions } from "./owner-alarms.ts";

export interface AlarmReader extends AsyncDisposable {
  read(): Promise<AlarmReading>;
}

/** Alarms that a node detects without the bucket. */
const ownNames = new Set(["quarantine", "stranded", "lost_data", "lost_checkpoint", "sync", "torn_tail"]); // prettier-ignore

/** Reads the status without the queue, because the queue may be the problem. */
export async function openAlarmReader(
  options: OwnerAlarmsOptions & { readonly signal: AbortSignal },
): Promise<AlarmReader> {
  const settings = options.settings();
  const fleet = await openFleet({ ...options, settings, isReader: true });
  const queue = {
    look: async () => ({ stats: undefined, log: undefined, troubles: [], fault: undefined }),
    [Symbol.asyncDispose]: async () => {},
  };
  return {
    async read() {
      const isCluster = options.settings().alert.scope === "fleet";
      const sources = { ...options, settings, isCluster, fleet, queue, conflicts: 0 };
      const { status, faults, isBucketRead } = await gatherParts(sources);
      const self = status.nodes.find(({ isSelf }) => isSelf)?.label ?? "";
      const unread: readonly Alarm[] = isBucketRead
        ? []
        : [{ name: "bucket", subject: self, text: faults[0] ?? "the bucket cannot be read" }];
      return {
        alarms: [
          ...alarmsOf(status),
          ...unread,
          ...(options.alerts?.() ?? []).map((alert) => alertAlarm(alert, self)),
        ],
        // While the bucket does not answer, nothing is known about other nodes and the hub.
        isKnown: ({ name, subject }) =>
          isBucketRead || name === "bucket" || ownNames.has(name) || subject.startsWith(self),
      };
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  };
}
