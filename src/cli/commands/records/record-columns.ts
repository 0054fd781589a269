import type { Company, Indexed, Person } from "../../../records/index.ts";
import type { TableColumn } from "../../table.ts";

const first = (values: readonly { readonly value: string }[]) => {
  const more = values.length > 1 ? ` +${values.length - 1}` : "";
  return values[0] ? `${values[0].value}${more}` : "";
};

const companyColumns: readonly TableColumn<Company>[] = [
  { title: "slug", value: ({ slug }) => slug, isKey: true },
  { title: "name", value: ({ name }) => name },
  { title: "domain", value: ({ texts }) => texts.domain ?? "" },
  { title: "email", value: ({ emails }) => first(emails) },
  { title: "phone", value: ({ phones }) => first(phones) },
  { title: "city", value: ({ texts }) => texts.city ?? "" },
  { title: "tags", value: ({ tags }) => tags.join(", ") },
  {
    title: "",
    value: ({ excluded }) => (excluded === undefined ? "" : `excluded: ${excluded}`),
    tint: () => "warn",
  },
];

const personColumns: readonly TableColumn<Person>[] = [
  { title: "slug", value: ({ slug }) => slug, isKey: true },
  { title: "name", value: ({ name }) => name },
  { title: "role", value: ({ texts }) => texts.role ?? "" },
  { title: "email", value: ({ emails }) => first(emails) },
  { title: "phone", value: ({ phones }) => first(phones) },
  { title: "companies", value: ({ companies }) => companies.map(({ id }) => id).join(", ") },
  { title: "tags", value: ({ tags }) => tags.join(", ") },
];

export const recordOf = (row: Indexed): Company | Person =>
  row.kind === "company" ? row.company : row.person;

/** All columns take either kind; which those are is up to the caller. */
export const columnsOf = (kind: Indexed["kind"]): readonly TableColumn<Company | Person>[] =>
  (kind === "company" ? companyColumns : personColumns) as readonly TableColumn<Company | Person>[];
