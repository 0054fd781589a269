import type { NodeApi, Watch } from "../node-api.ts";
import { calls, type Call } from "../protocol.ts";

export type SendCall = (call: Call, watch: Watch<unknown>) => Promise<unknown>;

/** The node's interface as calls to the owner. */
export function createRemoteApi(send: SendCall): NodeApi {
  const partOf = (part: keyof NodeApi) =>
    Object.fromEntries(
      Object.keys(calls[part]).map((method) => [
        method,
        (...given: readonly unknown[]) => {
          const last = given.at(-1);
          const [args, watch] = isWatch(last) ? [given.slice(0, -1), last] : [given, {}];
          return send({ part, method, args: [...args] } as Call, watch);
        },
      ]),
    );
  return Object.fromEntries(
    (Object.keys(calls) as (keyof NodeApi)[]).map((part) => [part, partOf(part)]),
  ) as unknown as NodeApi;
}

const isWatch = (value: unknown): value is Watch<unknown> => {
  if (typeof value !== "object" || value === null) return false;
  const { onProgress, signal } = value as Watch<unknown>;
  return typeof onProgress === "function" || signal instanceof AbortSignal;
};
