import { pageLimitMax, type Company } from "../../../records/index.ts";
import type { RecordFilters, RecordSort } from "../../../records/index.ts";
import type { NodeReadApi } from "../../../node/index.ts";
import type { Command } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { filterOptions, readFilters } from "./parts/filter-options.ts";
import { parseMoment } from "./parts/parse-moment.ts";
import { openReaderOf } from "../../frame/node-context.ts";

interface Call {
  readonly company: Company;
  readonly why: string;
}

export const companyToCall: Command = {
  needs: "settings",
  options: [
    {
      flag: "--until",
      value: "moment",
      summary: "callbacks due by this time: 2d, a date",
      default: "now",
    },
    { flag: "--due", summary: "only callbacks, no new companies" },
    ...filterOptions("company").filter(({ flag }) => !/^--(?:has|missing|excluded|included)$/.test(flag)), // prettier-ignore
    { flag: "--limit", value: "count", summary: "how many", default: "50" },
  ],
  examples: [
    { line: "forager company to-call", summary: "callbacks that are due, then the best new ones" },
    { line: "forager company to-call --due --until 2d", summary: "callbacks due within two days" },
    {
      line: "forager company to-call --rating-min 4.5 --reviews-min 20",
      summary: "new ones with good ratings",
    },
  ],
  details: [
    "New companies have a phone number and were never called; excluded ones are left out. The best\n" +
      "rated come first. `forager company call NAME … --callback 3d` postpones one. A callback is done when a\n" +
      "call was logged that reached somebody, or that was made when it was due or later; `company call\n" +
      "NAME --done` removes it in any case.",
  ],

  async run(context) {
    const { flags, out, clock } = context;
    const nowMs = clock.nowMs();
    const limit = Math.min(parseCount("limit", textFlag(flags, "limit") ?? "50"), pageLimitMax);
    const until = textFlag(flags, "until") ?? "now";
    const filters: RecordFilters = { ...readFilters(flags, nowMs), isExcluded: false };
    const callbackUntil = parseMoment("--until", until, { nowMs, direction: "future" });
    await using reader = await openReaderOf(context);
    const due = await pick(reader, { ...filters, callbackUntil }, "callback", limit);
    const calls: Call[] = due.map((company) => ({ company, why: `callback ${company.callback}` }));
    if (flags["due"] !== true && calls.length < limit) {
      const fresh = { ...filters, hasPhone: true, isCalled: false, hasCallback: false };
      const found = await pick(reader, fresh, "rating", limit - calls.length);
      calls.push(...found.map((company) => ({ company, why: "new" })));
    }
    out.result(
      calls.map(({ company, why }) => ({ why, ...company })),
      (layout) => layout.table(calls, columns),
    );
  },
};

async function pick(
  { records }: Pick<NodeReadApi, "records">,
  filters: RecordFilters,
  sort: RecordSort,
  limit: number,
): Promise<readonly Company[]> {
  const { rows } = await records.search({ kind: "company", filters, sort, limit });
  return rows.flatMap((row) => (row.kind === "company" ? [row.company] : []));
}

const columns: readonly TableColumn<Call>[] = [
  { title: "slug", value: ({ company }) => company.slug },
  { title: "name", value: ({ company }) => company.name },
  { title: "phone", value: ({ company }) => company.phones.map(({ value }) => value).join(", ") },
  { title: "city", value: ({ company }) => company.texts.city ?? "" },
  { title: "rating", value: ({ company }) => company.numbers.rating ?? "" },
  {
    title: "why",
    value: ({ why }) => why,
    tint: ({ why }) => (why === "new" ? undefined : "warn"),
  },
];
