import type { AuditLog, NewAuditEntry } from "../audit/index.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import { isForgetting } from "./audited-states.ts";
import { contract, type RouteName } from "./contract/contract.ts";
import type { RouteSpec } from "./contract/route.ts";
import type { ApiContext } from "./create-api.ts";
import type { Caller } from "./handler.ts";
import { problemOf } from "./problems.ts";

/** Facts for the audit log, collected while a request is handled. */
export interface AuditNote {
  caller?: Caller;
  asked?: unknown;
  before?: unknown;
  after?: unknown;
  isWritten?: boolean;
  /** Writes the entry of a file download when it was sent completely or aborted. */
  sent?: (file: SentFile) => Promise<void>;
}

/** The result of sending a file. `cut`: the reason if it was not sent completely. */
export interface SentFile {
  readonly rows?: number;
  readonly bytes: number;
  readonly cut?: string;
}

export interface RequestAuditor {
  /** Wraps a handler: changes and exports leave an entry, whether they succeed or fail. */
  watch(name: RouteName, answer: (c: ApiContext) => Promise<Response>): (c: ApiContext) => Promise<Response>; // prettier-ignore
  /** Records a request that was refused because of its caller or its origin. */
  denied(c: ApiContext, error: unknown): Promise<void>;
  /** Records a sign-in that is not an API route: by a one-time link, or by an identity provider. */
  login(c: ApiContext, login: { readonly isDone: boolean; readonly detail: string; readonly user?: string | undefined }): Promise<void>; // prettier-ignore
}

/** Routes whose use is recorded. */
export const isAudited = ({ method, sends }: RouteSpec): boolean =>
  method !== "GET" || sends === "file";

/** An erased person must not be named in the log. */
function targetOf({ req }: ApiContext, what: string): string {
  const spec = contract[what as RouteName] as RouteSpec | undefined;
  return `${req.method} ${spec && isForgetting(what as RouteName) ? spec.path : req.path}`;
}

/**
 * A user can have the same name as the person who runs the server, so the entry includes the way
 * they signed in.
 */
export function waysIn(caller: Caller | undefined): string {
  if (!caller?.isOwner) return caller?.by ?? "request";
  return ({ token: "folder", session: "link", loopback: "loopback", nobody: "nobody" } as const)[caller.by]; // prettier-ignore
}

const deniedStatuses = new Set([401, 403, 421, 429]);
/** Sending wrong requests costs nothing, so above this number per minute they are only counted. */
const refusedPerMinuteMax = 100;

export function createRequestAuditor(options: {
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly log: Logger;
}): RequestAuditor {
  const { audit, clock, log } = options;
  let minute = 0;
  /** Requests of this minute that changed nothing, by user. All strangers count as one. */
  let counts = new Map<string, number>();

  const write = async (
    c: ApiContext,
    entry: Pick<NewAuditEntry, "what" | "result" | "detail"> & { readonly who?: string },
  ) => {
    const { caller, asked, before, after } = c.get("audit");
    try {
      await audit.append({
        who: caller?.user ?? "",
        by: waysIn(caller),
        from: c.get("client")?.address,
        target: targetOf(c, entry.what),
        asked,
        before,
        after,
        requestId: c.get("requestId"),
        ...entry,
      });
    } catch (error) {
      // Log and continue: on a full disk, people must still be able to delete data.
      log.error("the audit log could not be written", { error, what: entry.what });
    }
  };
  /** True if this request, which changed nothing, gets an entry of its own. */
  const hasRoom = (c: ApiContext): boolean => {
    const now = Math.floor(clock.nowMs() / 60_000);
    if (now !== minute) {
      const left = [...counts.values()].reduce((sum, count) => sum + Math.max(0, count - refusedPerMinuteMax), 0); // prettier-ignore
      if (left > 0) log.warn("refused requests were not all recorded", { left });
      [minute, counts] = [now, new Map()];
    }
    const { caller } = c.get("audit");
    const isStranger = (caller?.by ?? "nobody") === "nobody";
    const user = isStranger ? "" : `${waysIn(caller)} ${caller!.user}`;
    const count = (counts.get(user) ?? 0) + 1;
    counts.set(user, count);
    return count <= refusedPerMinuteMax;
  };

  return {
    watch(name, answer) {
      const spec: RouteSpec = contract[name];
      if (!isAudited(spec)) return answer;
      return async (c) => {
        const note = c.get("audit");
        note.sent = async ({ cut, ...sent }) => {
          note.after = sent;
          const result = cut === undefined ? "ok" : "failed";
          await write(c, { what: name, result, detail: cut === undefined ? "200" : `cut: ${cut}` });
        };
        try {
          const response = await answer(c);
          // The entry of a file is written when the file was sent, because it includes the amount.
          if (spec.sends === "file") return response;
          await write(c, { what: name, result: "ok", detail: String(response.status) });
          return response;
        } catch (error) {
          const { status, code, detail } = problemOf(error, c.get("requestId"));
          const result = deniedStatuses.has(status) ? "denied" : "failed";
          c.get("audit").isWritten = true;
          if (hasRoom(c)) {
            const why = isForgetting(name) ? "" : `: ${detail}`;
            await write(c, { what: name, result, detail: `${status} ${code}${why}` });
          }
          throw error;
        }
      };
    },
    async denied(c, error) {
      const { status, code, detail } = problemOf(error, c.get("requestId"));
      if (!deniedStatuses.has(status) || c.get("audit").isWritten || !hasRoom(c)) return;
      await write(c, { what: "request", result: "denied", detail: `${status} ${code}: ${detail}` });
    },
    async login(c, { isDone, detail, user }) {
      if (!isDone && !hasRoom(c)) return;
      const who = user === undefined ? {} : { who: user };
      await write(c, { what: "login", result: isDone ? "ok" : "denied", detail, ...who });
    },
  };
}
