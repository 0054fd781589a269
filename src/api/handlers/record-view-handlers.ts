import { placesOf, type Company } from "../../records/index.ts";
import { attributionsOf } from "../../sources/index.ts";
import { facetFields, type recordViewRoutes } from "../contract/records/record-view-routes.ts";
import type { RouteContext, HandlersOf } from "../handler.ts";
import { queryOf } from "./record-handlers.ts";

/** Counting more would take too long for a list of filters. */
const facetCompaniesMax = 5_000;
const pointsMax = 20_000;
const pageSize = 1_000;
const valuesMax = 12;
const nameLengthMax = 120;

export const recordViewHandlers: HandlersOf<typeof recordViewRoutes> = {
  async companyFacets({ query }, context) {
    const counts = new Map(facetFields.map((field) => [field, new Map<string, number>()]));
    const openData = createOpenData();
    let counted = 0;
    const isComplete = await eachCompany(context, query, facetCompaniesMax, (company) => {
      counted += 1;
      openData.add(company);
      for (const [field, values] of counts) {
        for (const value of valuesOf(company, field)) {
          values.set(value, (values.get(value) ?? 0) + 1);
        }
      }
    });
    const facets = [...counts].map(([field, values]) => ({
      field,
      values: [...values]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
        .slice(0, valuesMax),
    }));
    return { facets, counted, licences: openData.licences(), isComplete };
  },
  async companyPoints({ query }, context) {
    const openData = createOpenData();
    const rows: [string, string, number, number, boolean][] = [];
    const isComplete = await eachCompany(context, query, pointsMax, (company) => {
      const { latitude, longitude } = company.numbers;
      if (latitude === undefined || longitude === undefined) return;
      openData.add(company);
      rows.push([company.slug, company.name.slice(0, nameLengthMax), latitude, longitude, company.emails.length > 0]); // prettier-ignore
    });
    return { rows, isComplete, licences: openData.licences() };
  },
};

/** Collects the sources whose data is shown. */
function createOpenData() {
  const sources = new Set<string>();
  return {
    add(company: Company) {
      for (const place of placesOf(company)) sources.add(place.slice(0, place.indexOf("/") + 1));
    },
    licences: () => attributionsOf(sources),
  };
}

function valuesOf(company: Company, field: (typeof facetFields)[number]): readonly string[] {
  switch (field) {
    case "category":
      return company.categories;
    case "tag":
      return company.tags;
    case "tech":
      return company.tech;
    case "city":
    case "state":
    case "country": {
      const value = company.texts[field];
      return value === undefined ? [] : [value];
    }
  }
}

/** Returns true if all matching companies were visited. */
async function eachCompany(
  { node, signal }: Pick<RouteContext, "node" | "signal">,
  filter: Readonly<Record<string, unknown>>,
  max: number,
  visit: (company: Company) => void,
): Promise<boolean> {
  let after: string | undefined;
  for (let seen = 0; seen < max; seen += pageSize) {
    signal.throwIfAborted();
    const page = await node.records.search(queryOf("company", { ...filter, sort: "name", limit: pageSize, after })); // prettier-ignore
    for (const row of page.rows) if (row.kind === "company") visit(row.company);
    after = page.next;
    if (after === undefined) return true;
  }
  return false;
}
