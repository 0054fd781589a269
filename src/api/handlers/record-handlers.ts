import type { TargetView } from "../../ledger/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import {
  mergedCompanies,
  placesOf,
  visitRecordOf,
  type Company,
  type Indexed,
  type Person,
  type RecordFilters,
  type RecordQuery,
} from "../../records/index.ts";
import { attributionsOf, licenceOf } from "../../sources/index.ts";
import type { recordRoutes } from "../contract/records/record-routes.ts";
import type { HandlersOf } from "../handler.ts";
import { notFound } from "../problems.ts";
import { defined } from "./queue-handlers.ts";

const countMax = 100_000;

export const recordHandlers: HandlersOf<typeof recordRoutes> = {
  async listCompanies({ query }, { node }) {
    const { rows, next } = await node.records.search(queryOf("company", query));
    return { rows: rows.flatMap(companyIn), next: next ?? null };
  },
  async countCompanies({ query }, { node }) {
    const { limit: _limit, ...asked } = queryOf("company", { ...query, limit: 1 });
    const count = await node.records.count(asked, countMax);
    return { count, isComplete: count < countMax };
  },
  async showCompany({ params: { name } }, { node }) {
    const company = await node.records.company(name);
    if (!company) throw notFound(`company '${name}'`);
    const view = await node.ledger.read(company.target);
    return {
      ...company,
      ...(await shownWith(node, company.target)),
      provenance: view.fields.map(withLicence),
      duplicates: await node.records.duplicatesOf(company.target),
      merged: (await node.ledger.readAll(mergedCompanies(view))).map(referenceOf),
      licences: attributionsOf(placesOf(company)),
      visit: visitOf(view),
    };
  },
  async listPeople({ query }, { node }) {
    const { rows, next } = await node.records.search(queryOf("person", query));
    return { rows: rows.flatMap(personIn), next: next ?? null };
  },
  async showPerson({ params: { name } }, { node }) {
    const person = await node.records.person(name);
    if (!person) throw notFound(`person '${name}'`);
    const { fields } = await node.ledger.read(person.target);
    return {
      ...person,
      ...(await shownWith(node, person.target)),
      provenance: fields.map(withLicence),
    };
  },
};

/** A merged company is no longer a record: its own values are in the ledger. */
function referenceOf({ target, fields }: TargetView) {
  const text = (wanted: string) => {
    const value = fields.find(({ field }) => field === wanted)?.value;
    return typeof value === "string" ? value : "";
  };
  return { target, slug: text("slug"), name: text("name") };
}

/** Adds the licence to each value whose source requires one. */
function withLicence<T extends { readonly source: string }>(value: T) {
  const licence = licenceOf(value.source);
  return licence === undefined ? value : { ...value, licence };
}

/** A later version may have written the field with more content. */
function visitOf(view: Parameters<typeof visitRecordOf>[0]) {
  const visit = visitRecordOf(view);
  return visit ? { ...visit } : null;
}

async function shownWith({ records }: Pick<NodeReadApi, "records">, target: string) {
  const problems = (await records.problems()).filter((one) => one.target === target);
  return { file: (await records.fileOf(target)) ?? null, problems };
}

const companyIn = (row: Indexed): readonly Company[] =>
  row.kind === "company" ? [row.company] : [];
const personIn = (row: Indexed): readonly Person[] => (row.kind === "person" ? [row.person] : []);

interface Asked extends Record<string, unknown> {
  readonly words?: string | undefined;
  readonly sort?: RecordQuery["sort"] | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The query of a route contains the filters next to words, order and page. */
export function queryOf(kind: RecordQuery["kind"], asked: Asked): RecordQuery {
  const { words, sort, after, limit, ...filters } = asked;
  return {
    kind,
    limit,
    ...(words !== undefined && words.trim() !== "" && { words }),
    ...(sort && { sort }),
    ...(after !== undefined && { after }),
    filters: defined(filters) as RecordFilters,
  };
}
