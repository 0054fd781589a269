import type * as z from "zod";
import type { Change } from "../../ledger/index.ts";
import { searchTasks, type TaskPage } from "../../queue/index.ts";
import type { selectionRoutes } from "../contract/records/selection-routes.ts";
import type { RouteContext, HandlersOf } from "../handler.ts";
import { selectionMax, type BatchResult, type Found } from "../selections/selections.ts";
import { ProblemError } from "../problems.ts";
import { defined } from "./queue-handlers.ts";
import { queryOf } from "./record-handlers.ts";

const samplesShown = 5;
const pageSize = 1_000;

export const selectionHandlers: HandlersOf<typeof selectionRoutes> = {
  selectCompanies: async ({ body }, context) =>
    context.selections.companies.freeze(await findCompanies(body, context), userOf(context)),
  showCompanySelection: async ({ params: { id } }, { selections }) => selections.companies.show(id),
  async tagSelection({ params: { id }, body: { count, add, remove } }, context) {
    if (add.length + remove.length === 0) {
      throw new ProblemError(400, "bad_request", "body: name a tag to put on or to take off");
    }
    const wanted = [
      ...add.map((tag): Wanted => ({ field: `tag/${tag}`, value: true })),
      ...remove.map((tag): Wanted => ({ field: `tag/${tag}`, value: undefined })),
    ];
    const work = { action: "tag", by: context.caller.user, count };
    const run = (targets: readonly string[]) => setFields(context, targets, wanted);
    return context.selections.companies.begin(id, { ...work, run });
  },
  async excludeSelection({ params: { id }, body: { count, reason } }, context) {
    const wanted = [{ field: "excluded", value: reason ?? undefined }];
    const action = reason === null ? "include" : "exclude";
    const run = (targets: readonly string[]) => setFields(context, targets, wanted);
    return context.selections.companies.begin(id, { action, by: context.caller.user, count, run });
  },
  async undoCompanySelection({ params: { id } }, context) {
    const run = async (changes: readonly Change[]) => {
      await writeChanges(context, changes);
      return changes.length;
    };
    return context.selections.companies.undo(id, { by: context.caller.user, run });
  },
  stopCompanySelection: async ({ params: { id } }, { selections }) => selections.companies.stop(id),
  selectTasks: async ({ body }, context) =>
    context.selections.tasks.freeze(await findTasks(body, context), userOf(context)),
  listTaskSelections: async (_, { selections }) => ({ rows: [...selections.tasks.list()] }),
  showTaskSelection: async ({ params: { id } }, { selections }) => selections.tasks.show(id),
  async retrySelection({ params: { id }, body: { count } }, context) {
    const queue = await context.queue();
    const run = async (ids: readonly number[]) => ({
      changed: await queue.retry({ ids, states: ["failed", "skipped"] }),
    });
    return context.selections.tasks.begin(id, { action: "retry", by: context.caller.user, count, run }); // prettier-ignore
  },
  async purgeSelection({ params: { id }, body: { count } }, context) {
    const queue = await context.queue();
    const run = async (ids: readonly number[]) => ({
      changed: await queue.purge({ ids, states: ["done", "skipped", "failed"] }),
    });
    return context.selections.tasks.begin(id, { action: "purge", by: context.caller.user, count, run }); // prettier-ignore
  },
  stopTaskSelection: async ({ params: { id } }, { selections }) => selections.tasks.stop(id),
};

const userOf = ({ caller }: RouteContext): string => (caller.isOwner ? "" : caller.user);

async function findCompanies(
  filters: object,
  { node, signal }: RouteContext,
): Promise<Found<string>> {
  const items: string[] = [];
  const samples: string[] = [];
  let after: string | undefined;
  do {
    const query = queryOf("company", { ...filters, sort: "name", limit: pageSize });
    const page = await node.records.search({ ...query, ...(after !== undefined && { after }) });
    for (const row of page.rows) {
      if (row.kind !== "company" || items.length === selectionMax) continue;
      items.push(row.company.target);
      if (samples.length < samplesShown) samples.push(row.company.name || row.company.slug);
    }
    after = page.next;
    signal.throwIfAborted();
  } while (after !== undefined && items.length < selectionMax);
  return { items, samples, isComplete: after === undefined };
}

type TaskSelectionFilter = z.output<typeof selectionRoutes.selectTasks.body>;

async function findTasks(
  { state, ...filter }: TaskSelectionFilter,
  { queue: open, signal }: RouteContext,
): Promise<Found<number>> {
  const queue = await open();
  const items: number[] = [];
  const samples: string[] = [];
  let afterId: number | undefined = 0;
  while (afterId !== undefined && items.length < selectionMax) {
    const { tasks, nextId }: TaskPage = await searchTasks(queue, {
      ...defined(filter),
      ...(state && { states: state }),
      afterId,
      limit: pageSize,
    });
    for (const { id, kind, key } of tasks) {
      items.push(id);
      if (samples.length < samplesShown) samples.push(`${id} ${kind} ${key ?? ""}`.trim());
    }
    afterId = nextId;
    signal.throwIfAborted();
  }
  return { items, samples, isComplete: afterId === undefined };
}

interface Wanted {
  readonly field: string;
  /** Undefined if the field has no value. */
  readonly value: unknown;
}

/**
 * Sets fields that differ, and remembers their old values. Skips companies that no longer exist.
 */
async function setFields(
  context: RouteContext,
  targets: readonly string[],
  wanted: readonly Wanted[],
): Promise<BatchResult<Change>> {
  const views = await context.node.ledger.readAll(targets);
  const changes: Change[] = [];
  const undo: Change[] = [];
  for (const view of views) {
    if (view.isForgotten || view.fields.length === 0) continue;
    for (const { field, value } of wanted) {
      const before = view.fields.find((one) => one.field === field)?.value;
      if (JSON.stringify(before) === JSON.stringify(value)) continue;
      changes.push(changeTo(view.target, field, value));
      undo.push(changeTo(view.target, field, before));
    }
  }
  await writeChanges(context, changes);
  return { changed: changes.length, undo };
}

const changeTo = (target: string, field: string, value: unknown): Change =>
  value === undefined || value === null
    ? { target, field, unset: true }
    : ({ target, field, value } as Change);

async function writeChanges(
  { node, caller, live }: RouteContext,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  await node.records.writeAll([{ source: `hand:${caller.user}`, changes }]);
  live.poke("records");
}
