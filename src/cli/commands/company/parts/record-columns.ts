import {
  companyTarget,
  personTarget,
  type Company,
  type Indexed,
  type Person,
} from "../../../../records/index.ts";
import type { TableColumn } from "../../../terminal/table.ts";
import type { RecordNames } from "./record-names.ts";

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

const personColumns = ({ nameOf }: Pick<RecordNames, "nameOf">): readonly TableColumn<Person>[] => [
  { title: "slug", value: ({ slug }) => slug, isKey: true },
  { title: "name", value: ({ name }) => name },
  { title: "role", value: ({ texts }) => texts.role ?? "" },
  { title: "email", value: ({ emails }) => first(emails) },
  { title: "phone", value: ({ phones }) => first(phones) },
  {
    title: "companies",
    value: ({ companies }) => companies.map(({ id }) => nameOf(companyTarget(id))).join(", "),
  },
  { title: "tags", value: ({ tags }) => tags.join(", ") },
];

export const recordOf = (row: Indexed): Company | Person =>
  row.kind === "company" ? row.company : row.person;

/**
 * Every column works for companies and for people; the caller chooses. Requires the names of all
 * targets of `linksOf`.
 */
export const columnsOf = (
  kind: Indexed["kind"],
  names: Pick<RecordNames, "nameOf">,
): readonly TableColumn<Company | Person>[] =>
  (kind === "company" ? companyColumns : personColumns(names)) as readonly TableColumn<
    Company | Person
  >[];

/** The targets of the records that a record links to. */
export const linksOf = (record: Company | Person): readonly string[] =>
  "people" in record
    ? record.people.map(({ id }) => personTarget(id))
    : record.companies.map(({ id }) => companyTarget(id));
