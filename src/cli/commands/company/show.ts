import {
  companyTarget,
  personTarget,
  placesOf,
  visitRecordOf,
  type Company,
  type Contact,
  type Person,
  type RecordEntry,
  type RecordKind,
  type VisitRecord,
} from "../../../records/index.ts";
import { attributionLine, attributionsOf, licenceOf } from "../../../sources/index.ts";
import type { Command } from "../../frame/command.ts";
import type { Layout } from "../../terminal/output.ts";
import { findRecord, nameArgument } from "./parts/find-record.ts";
import { linksOf } from "./parts/record-columns.ts";
import { createRecordNames, type RecordNames } from "./parts/record-names.ts";
import { openReaderOf } from "../../frame/node-context.ts";

const showCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [nameArgument(kind)],
  options: [
    {
      flag: "--provenance",
      summary: "show who wrote each value, when, from which source and by which licence",
    },
  ],
  examples: [
    { line: `forager ${kind} show ${kind === "company" ? "acme" : "anna-berg"}`, summary: "all fields" }, // prettier-ignore
    { line: `forager ${kind} show ${kind === "company" ? "acme" : "anna-berg"} --json`, summary: "for programs" }, // prettier-ignore
    { line: `forager ${kind} show ${kind === "company" ? "acme" : "anna-berg"} --provenance`, summary: "answers a request for access (Art. 14 and 15 GDPR)" }, // prettier-ignore
  ],
  details: [
    "Changes nothing. While a process such as `forager up` runs here, edits of the file are imported\n" +
      "first; otherwise run `forager records ingest`.",
    "--provenance, and `provenance` of --json, say for each value who wrote it, when, and by which licence\n" +
      "it may be used if it comes from open data.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    await using opened = await openReaderOf(context);
    const { records } = opened;
    const name = args[0]!;
    const record = await findRecord(opened, kind, name);
    const problems = (await records.problems()).filter(({ target }) => target === record.target);
    const duplicates = kind === "company" ? await records.duplicatesOf(record.target) : [];
    const file = await records.fileOf(record.target);
    const names = createRecordNames(opened);
    await names.learn(linksOf(record));
    const view = await opened.ledger.read(record.target);
    const visit = kind === "company" ? visitRecordOf(view) : undefined;
    const licences = "categories" in record ? attributionsOf(placesOf(record)) : [];
    const provenance = view.fields.map(({ field, value, source, stamp }) => ({
      field,
      value,
      source,
      at: stamp.slice(0, isoLength),
      licence: licenceOf(source),
    }));
    const value = { ...record, file, visit, duplicates, problems, licences, provenance };
    if (flags["provenance"] === true) {
      return out.result(value, (layout) =>
        [
          `${record.name} (${record.target})`,
          layout.table(provenance, [
            { title: "field", value: ({ field }) => field },
            { title: "value", value: (row) => valueText(row.value) },
            { title: "source", value: ({ source }) => source },
            { title: "written", value: ({ at }) => at.slice(0, 19).replace("T", " ") },
            { title: "licence", value: ({ licence }) => licence ?? "" },
          ]),
        ].join("\n"),
      );
    }
    out.result(value, (layout) =>
      [
        record.name,
        layout.table(
          [...rowsOf(record, file, names), ...visitRow(visit)],
          [
            { title: "field", value: ({ field }) => field },
            { title: "value", value: ({ value }) => value },
          ],
        ),
        ...(record.description === undefined ? [] : ["", record.description.trimEnd()]),
        ...entriesOf(record.entries, layout),
        ...licences.map((one) => `contains open data: ${attributionLine(one)}`),
      ].join("\n"),
    );
    for (const { slug, because } of duplicates) {
      out.note(`${slug} has the same ${because}: \`forager company merge ${slug} ${record.slug} --yes\` joins them`); // prettier-ignore
    }
    for (const { path, reason } of problems) out.note(`${path}: ${reason}`);
    return problems.length > 0 ? "failed" : undefined;
  },
});

/** For an object, its text; empty for an element that has no value of its own. */
const valueText = (value: unknown): string =>
  value === true ? "" : typeof value === "string" ? value : JSON.stringify(value);

const isoLength = "2026-11-15T19:02:03.004Z".length;

interface Row {
  readonly field: string;
  readonly value: string;
}

function rowsOf(
  record: Company | Person,
  file: string | undefined,
  { nameOf }: Pick<RecordNames, "nameOf">,
): readonly Row[] {
  const numbers = "numbers" in record ? record.numbers : {};
  const lists = "categories" in record ? listsOf(record) : [];
  const members = "people" in record ? record.people : record.companies;
  return [
    ...(file === undefined ? [] : [{ field: "file", value: file }]),
    { field: "id", value: record.target },
    ...rows(record.texts),
    ...rows(numbers),
    ...record.emails.map((one) => ({ field: "email", value: contact(one) })),
    ...record.phones.map((one) => ({ field: "phone", value: contact(one) })),
    ...rows(record.socials),
    ...(record.tags.length > 0 ? [{ field: "tags", value: record.tags.join(", ") }] : []),
    ...lists,
    ...members.map(({ id, role }) => ({
      field: "people" in record ? "person" : "company",
      value: withRole(nameOf("people" in record ? personTarget(id) : companyTarget(id)), role),
    })),
    ...rows(record.extra),
    ...(record.aliases.length > 0 ? [{ field: "was", value: record.aliases.join(", ") }] : []),
    { field: "changed", value: record.changedAt.slice(0, isoLength) },
  ];
}

const withRole = (name: string, role: string | undefined) =>
  role === undefined ? name : `${name} (${role})`;

const visitRow = (visit: VisitRecord | undefined): readonly Row[] =>
  visit
    ? [
        {
          field: "visit",
          value: `${visitWords(visit)}, ${visit.at.slice(0, 16).replace("T", " ")}`,
        },
      ]
    : [];

const visitWords = ({ outcome, reason = outcome }: VisitRecord): string =>
  reason === outcome ? outcome : `${outcome} (${reason})`;

const rows = (values: Readonly<Record<string, unknown>>): readonly Row[] =>
  Object.entries(values).map(([field, value]) => ({
    field,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));

const listsOf = (company: Company): readonly Row[] =>
  (["categories", "services", "products", "tech", "keywords"] as const).flatMap((field) =>
    company[field].length > 0 ? [{ field, value: company[field].join("; ") }] : [],
  );

const contact = ({ value, label, status }: Contact) => {
  const text = label === undefined ? value : `${value} (${label})`;
  if (status === undefined) return text;
  const words = [status.status, status.because, status.kind].filter((word) => word !== undefined);
  return `${text}: ${words.join(", ")}, ${status.at.slice(0, 10)}`;
};

function entriesOf(entries: readonly RecordEntry[], layout: Layout): readonly string[] {
  if (entries.length === 0) return [];
  const table = layout.table(entries, [
    { title: "when", value: ({ at }) => at.slice(0, 16).replace("T", " ") },
    { title: "what", value: ({ kind, outcome }) => (outcome ? `${kind}: ${outcome}` : kind) },
    { title: "by", value: ({ by }) => by ?? "" },
    { title: "text", value: ({ title, text }) => [title, text].filter(Boolean).join(": ") },
  ]);
  return ["", table];
}

export const companyShow = showCommand("company");
export const personShow = showCommand("person");
