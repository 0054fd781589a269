import { readLibpqVariables } from "../../config/index.ts";
import type { PostgresFacts } from "../../queue/adapters/postgres/read/examine.ts";
import type { OpenQueueOptions } from "./open-queue.ts";

export type { PostgresFacts } from "../../queue/adapters/postgres/read/examine.ts";

/** Examines the server of a queue without opening the queue; undefined if there is no server. */
export async function examineQueue(
  address: string,
  { password, postgres = {} }: OpenQueueOptions = {},
): Promise<PostgresFacts | undefined> {
  if (!/^postgres(?:ql)?:/.test(address)) return undefined;
  const { examinePostgres } = await import("../../queue/adapters/postgres/read/examine.ts");
  const { schema, listenUrl, listenPassword } = postgres;
  return examinePostgres({
    url: address,
    variables: readLibpqVariables(),
    ...(password === undefined ? {} : { password }),
    ...(schema === undefined ? {} : { schema }),
    ...(listenUrl === undefined ? {} : { listenUrl }),
    ...(listenPassword === undefined ? {} : { listenPassword }),
  });
}
