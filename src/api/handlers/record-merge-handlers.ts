import { AppError } from "../../base/app-error.ts";
import { distinctChanges, mergeDuplicates, unmergeCompany } from "../../records/index.ts";
import type { recordMergeRoutes } from "../contract/record-merge-routes.ts";
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
  resolveCompanies: ({ body: { isDryRun } }, { node, signal }) =>
    mergeDuplicates(node.records, { isDryRun, signal }),
};

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
