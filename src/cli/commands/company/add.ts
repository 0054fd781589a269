import { AppError } from "../../../base/app-error.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { columnOf, type Created, type RecordKind } from "../../../records/index.ts";
import type { Command, OptionSpec, SettingsContext } from "../../frame/command.ts";
import { quote } from "../../completion/shell-text.ts";
import { textFlag } from "../../options/flags.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { readAssignments } from "./parts/read-assignments.ts";
import { openNodeOf } from "../../frame/node-context.ts";

const listOption = (flag: `--${string}`, value: string, summary: string): OptionSpec => ({
  flag,
  value,
  summary,
  isRepeated: true,
});

const contactOptions: readonly OptionSpec[] = [
  listOption("--email", "address", "an e-mail address"),
  listOption("--phone", "number", "a phone number, with its country code or --country"),
  listOption("--tag", "tag", "a tag"),
  { flag: "--country", value: "country", summary: "two letters" },
  { flag: "--city", value: "city", summary: "where it is" },
  { flag: "--note", value: "text", summary: "a first note" },
];

const assignmentArgument = {
  name: "assignment",
  summary: "FIELD=TEXT, or FIELD:=JSON for other values",
  isOptional: true,
  isRepeated: true,
};

export const companyAdd: Command = {
  needs: "settings",
  arguments: [{ name: "name", summary: "what it is called" }, assignmentArgument],
  options: [
    { flag: "--domain", value: "domain", summary: "its own domain" },
    { flag: "--website", value: "url", summary: "its website, from which its domain is derived" },
    ...contactOptions,
    listOption("--category", "category", "what it does"),
    {
      flag: "--separate",
      summary: "add another company with the same domain or number, such as a branch",
    },
    sourceOption,
  ],
  examples: [
    {
      line: 'forager company add "Acme Flooring" --website acme-flooring.example --city Austin',
      summary: "makes companies/acme-flooring/_index.md",
    },
    { line: "forager company add Acme --domain acme.example rating:=4.5", summary: "more fields" },
  ],
  details: [
    "A company with the same domain or place, or a similar name and a phone number of its own, is the same\n" +
      "company: missing fields are added, and no value is changed. Differences are printed. A forgotten one is\n" +
      "not added again; then it exits 1.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [name = "", ...assignments] = args;
    refuseAssignment(name, "company");
    const fields = await fieldsOf(
      context,
      "company",
      ["domain", "website"],
      [`name=${name}`, ...assignments],
    );
    await using opened = await openNodeOf(context);
    const { records } = opened;
    const isSeparate = flags["separate"] === true;
    const request = { source: sourceOf(context), fields, addsOnly: true };
    const made = await asUsage(() =>
      records.create({ ...request, ...(isSeparate && { isSeparate }) }),
    );
    refuseSuppressed(made, "company", name);
    context.recordChange({ after: { target: made.target, outcome: made.outcome, ...fields } });
    const duplicates = await records.duplicatesOf(made.target);
    const file = await records.fileOf(made.target);
    out.result({ ...made, file, duplicates }, words(made, file));
    printKept(out, made);
    for (const slug of made.samePhone) {
      out.note(`${slug} has the same phone number: \`forager company merge ${slug} ${made.slug} --yes\` joins them`); // prettier-ignore
    }
    for (const { slug, because } of duplicates) {
      out.note(`${slug} has the same ${because}: \`forager company merge ${slug} ${made.slug} --yes\` joins them`); // prettier-ignore
    }
  },
};

export const personAdd: Command = {
  needs: "settings",
  arguments: [{ name: "name", summary: "what they are called" }, assignmentArgument],
  options: [
    { flag: "--company", value: "name", summary: "the folder of the company they belong to" },
    { flag: "--role", value: "role", summary: "what they do there" },
    ...contactOptions,
    sourceOption,
  ],
  examples: [
    {
      line: 'forager person add "Anna Berg" --company acme-flooring --role owner --email anna@acme.example', // prettier-ignore
      summary: "makes people/anna-berg/_index.md",
    },
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [name = "", ...assignments] = args;
    refuseAssignment(name, "person");
    const fields = await fieldsOf(context, "person", [], [`name=${name}`, ...assignments]);
    const [company, role] = [textFlag(flags, "company"), textFlag(flags, "role")];
    await using opened = await openNodeOf(context);
    const made = await asUsage(() =>
      opened.records.createPerson({
        source: sourceOf(context),
        fields,
        ...(company !== undefined && { company }),
        ...(role !== undefined && { role }),
      }),
    );
    refuseSuppressed(made, "person", name);
    context.recordChange({ after: { target: made.target, outcome: made.outcome, ...fields } });
    const file = await opened.records.fileOf(made.target);
    out.result({ ...made, file }, words(made, file));
  },
};

/** Otherwise `add domain=acme.example` would make a company of that name, without the domain. */
function refuseAssignment(name: string, kind: RecordKind): void {
  const [, field = ""] = /^([^=]+?):?=/u.exec(name) ?? [];
  if (columnOf(field) === undefined) return;
  throw usageError(
    `the first argument is the name, not a field: write \`forager ${kind} add NAME ${quote(name)}\``,
  );
}

/** The options are short forms of assignments. */
function fieldsOf(
  { flags, clock }: SettingsContext,
  kind: RecordKind,
  more: readonly string[],
  assignments: readonly string[],
) {
  const names = [...more, "email", "phone", "tag", "country", "city", "note", "category"];
  const given = names.flatMap((name) => {
    const value = flags[name];
    const values = Array.isArray(value) ? (value as readonly string[]) : [value];
    return values.flatMap((one) => (typeof one === "string" ? [`${name}=${one}`] : []));
  });
  return readAssignments([...given, ...assignments], {
    kind,
    isNew: true,
    country: textFlag(flags, "country"),
    nowMs: clock.nowMs(),
  });
}

function refuseSuppressed({ outcome }: Created, kind: RecordKind, name: string): void {
  if (outcome !== "suppressed") return;
  const message = `'${name}' is suppressed: nothing was written. Its domain or place is on the suppression list (\`forager suppress list\`), or it was forgotten`;
  throw new AppError("invalid", "record_suppressed", `the ${kind} ${message}`);
}

function words({ outcome, slug, written }: Created, file: string | undefined): string {
  const where = file ?? slug;
  if (outcome === "created") return where;
  const added = written === 0 ? "nothing is new" : `${countOf(written, "field")} added`;
  return `${where} was known; ${added}`;
}

/** Reports fields that were typed but not written, with the command that writes them. */
function printKept(out: SettingsContext["out"], { kept, slug }: Created): void {
  for (const { field, value, given } of kept) {
    const words = quote(`${field}=${String(given)}`);
    const hint = typeof given === "string" ? `: \`forager company set ${slug} ${words}\` changes it` : ""; // prettier-ignore
    const now = value === undefined ? "empty" : JSON.stringify(value);
    out.note(`${field} stays ${now}, not ${JSON.stringify(given)}${hint}`);
  }
}
