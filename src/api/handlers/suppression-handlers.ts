import {
  addSuppressed,
  newestSuppressed,
  readSuppressionKey,
  removeSuppressed,
} from "../../records/index.ts";
import type { suppressionRoutes } from "../contract/records/suppression-routes.ts";
import type { HandlersOf, RouteContext } from "../handler.ts";
import { ProblemError } from "../problems.ts";

const sourceOf = ({ caller, user }: RouteContext) => `hand:${caller.user || user}`;

export const suppressionHandlers: HandlersOf<typeof suppressionRoutes> = {
  async listSuppressions({ query: { kind, limit, after } }, { node }) {
    const [at, id] = after?.split(" ") ?? [];
    if (after !== undefined && (at === undefined || id === undefined)) {
      throw new ProblemError(400, "bad_request", "query.after: not the cursor of a page");
    }
    const found = await newestSuppressed(node.ledger, {
      limit: limit + 1,
      kind,
      ...(at !== undefined && id !== undefined && { after: { at, id } }),
    });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return { rows, next: last && found.length > limit ? `${last.at} ${last.id}` : null };
  },
  async addSuppressions({ body }, context) {
    const { reason } = body;
    return addSuppressed(context.node.ledger, {
      keys: readKeys(body),
      source: sourceOf(context),
      random: context.random,
      ...(reason !== undefined && { reason }),
    });
  },
  async checkSuppressions({ body }, { node }) {
    const keys = readKeys(body);
    const listed = new Set(await node.ledger.suppressed(keys));
    return { rows: body.values.map((value, at) => ({ value, isListed: listed.has(keys[at]!) })) };
  },
  async removeSuppressions({ body }, context) {
    const removed = await removeSuppressed(context.node.ledger, {
      keys: readKeys(body),
      source: sourceOf(context),
    });
    return { removed };
  },
};

/** Reads all keys or throws. The message does not repeat the value, because problems are logged. */
function readKeys({
  values,
  country,
}: {
  values: readonly string[];
  country?: string | undefined;
}) {
  return values.map((value, at) => {
    const key = readSuppressionKey(value, { country });
    if (key !== undefined) return key;
    const what =
      "is not an e-mail address, domain, phone number with its country code or id of a place";
    throw new ProblemError(400, "bad_request", `body.values[${at}] ${what}; nothing was changed`);
  });
}
