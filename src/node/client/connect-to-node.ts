import type { Clock } from "../../base/clock.ts";
import { openConnection } from "./connection.ts";
import type { MeetingPoint } from "../meeting-point.ts";
import type { NodeApi } from "../node-api.ts";
import { createRemoteApi } from "./remote-api.ts";

export interface NodeConnection extends Disposable {
  readonly api: NodeApi;
}

export interface ConnectToNodeOptions {
  readonly point: Pick<MeetingPoint, "connect">;
  readonly clock: Clock;
  readonly version: string;
}

/** For pure reads: undefined if no process owns the data folder. Takes no lock, writes nothing. */
export async function connectToNode(
  options: ConnectToNodeOptions,
): Promise<NodeConnection | undefined> {
  const channel = await options.point.connect();
  const connection = channel && (await openConnection({ ...options, channel }));
  if (!connection) return undefined;
  return {
    api: createRemoteApi((call, watch) => connection.call(call, watch, { after: undefined })),
    [Symbol.dispose]: () => connection.close(),
  };
}
