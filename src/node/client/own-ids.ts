import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { newRecordIdLength } from "../../records/index.ts";
import type { Call } from "../protocol.ts";

/**
 * Adds all random values to a call that creates a record or an entry. So if a call is sent again
 * because its answer was lost, it finds what the first try created.
 */
export function withOwnIds(call: Call, { random, clock }: { random: Random; clock: Clock }): Call {
  if (call.part !== "records") return call;
  const withId = (request: unknown) => ({
    id: createId(random, newRecordIdLength),
    ...(request as object),
  });
  const [first] = call.args;
  switch (call.method) {
    case "create":
    case "createPerson":
      return { ...call, args: [withId(first)] };
    case "createAll":
      return { ...call, args: [(first as readonly unknown[]).map(withId)] };
    case "addEntry": {
      const at = new Date(clock.nowMs()).toISOString();
      return { ...call, args: [{ at, ...withId(first) }] };
    }
    default:
      return call;
  }
}
