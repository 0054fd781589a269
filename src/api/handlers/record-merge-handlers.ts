import { AppError } from "../../base/app-error.ts";
import { distinctChanges, mergeDuplicates, unmergeCompany } from "../../records/index.ts";
import { waysIn } from "../audit-requests.ts";
import type { recordMergeRoutes } from "../contract/records/record-merge-routes.ts";
import type { HandlersOf, RouteContext } from "../handler.ts";
import { defined } from "./queue-handlers.ts";
import { findRecord, sourceOf } from "./record-write-handlers.ts";

export const recordMergeHandlers: HandlersOf<typeof recordMergeRoutes> = {
  async listDuplicates({ query }, { node }) {
    const pairs = await node.records.duplicatePairs({ limit: query.limit, ...defined(query) });
    return { rows: pairs.map((pair) => ({ ...pair, evidence: { ...pair.evidence } })) };
  },
  async mergeCompany({ params, body }, context) {
    const [from, into] = await findTwo(context, params.name, body.into);
    const request = { from, into, source: sourceOf(context) };
    return { from, into, ...(await context.node.records.merge(request)) };
  },
  async unmergeCompany({ params: { name } }, context) {
    const { target: into } = await findRecord(context.node, "company", name);
    const request = { into, name, source: sourceOf(context) };
    return { into, ...(await unmergeCompany(context.node, request)) };
  },
  async distinctCompanies({ params, body }, context) {
    const [one, other] = await findTwo(context, params.name, body.other);
    const changes = distinctChanges(one, other);
    await context.node.records.write({ source: sourceOf(context), changes });
    return { one, other };
  },
  async resolveCompanies({ body: { isDryRun } }, context) {
    const { node, caller, resolving } = context;
    const merge = async (options: { readonly onMerged: () => void }) => {
      const after = await mergeDuplicates(node.records, { ...options, isDryRun });
      await recordEnd(context, { isDryRun, ...after });
      return after;
    };
    return resolving.begin({ by: caller.user, isDryRun, merge });
  },
  showResolve: async (_, { resolving }) => resolving.show(),
};

/** The entry of the request was written when it began. */
async function recordEnd(
  { audit, caller, log, requestId }: RouteContext,
  after: object,
): Promise<void> {
  const who = { who: caller.user, by: waysIn(caller), from: caller.address };
  const what = { what: "resolveCompanies", target: "POST /api/records/resolve", after };
  const entry = { ...who, ...what, result: "ok", detail: "done", requestId } as const;
  await audit
    .append(entry)
    .catch((error: unknown) => log.error("the audit log could not be written", { error }));
}

/** Returns the targets. Two names can belong to the same company. */
async function findTwo(
  { node }: RouteContext,
  ...names: readonly [string, string]
): Promise<readonly [string, string]> {
  const [{ target: one }, { target: other }] = [
    await findRecord(node, "company", names[0]),
    await findRecord(node, "company", names[1]),
  ];
  if (one !== other) return [one, other];
  throw new AppError("invalid", "same_company", `${names[0]} and ${names[1]} are one`);
}
