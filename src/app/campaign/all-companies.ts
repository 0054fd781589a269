import type { NodeReadApi } from "../../node/index.ts";
import { pageLimitMax, type Company, type RecordFilters } from "../../records/index.ts";

export interface AllCompaniesOptions {
  readonly filters?: RecordFilters;
  readonly signal?: AbortSignal | undefined;
  readonly onCompanies?: ((count: number) => void) | undefined;
}

/** Every company that passes the filters, in pages. */
export async function* allCompanies(
  records: Pick<NodeReadApi["records"], "search">,
  options: AllCompaniesOptions = {},
): AsyncGenerator<readonly Company[]> {
  const { filters, signal, onCompanies } = options;
  let after: string | undefined;
  do {
    signal?.throwIfAborted();
    const page = await records.search({
      kind: "company",
      sort: "name",
      ...(filters && { filters }),
      limit: pageLimitMax,
      ...(after !== undefined && { after }),
    });
    yield page.rows.flatMap((row) => (row.kind === "company" ? [row.company] : []));
    onCompanies?.(page.rows.length);
    after = page.next;
  } while (after !== undefined);
}
