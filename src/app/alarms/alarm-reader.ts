import type { Alarm, AlarmReading } from "../../notify/index.ts";
import { openFleet } from "../node/open-fleet.ts";
import { alarmsOf, alertAlarm } from "../status/attention.ts";
import { gatherParts } from "../status/gather-status.ts";
import type { OwnerAlarmsOptions } from "./owner-alarms.ts";

export interface AlarmReader extends AsyncDisposable {
  read(): Promise<AlarmReading>;
}

/** What every node finds out without asking the bucket. */
const ownNames = new Set(["quarantine", "stranded", "lost_data", "lost_checkpoint", "sync", "torn_tail"]); // prettier-ignore

/** Reads the status without the queue, which may be what is wrong. */
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
        // Of other nodes and of the hub nothing is known while the bucket does not answer.
        isKnown: ({ name, subject }) =>
          isBucketRead || name === "bucket" || ownNames.has(name) || subject.startsWith(self),
      };
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  };
}
