import { countOf } from "../../../../base/text/count-words.ts";
import { usageError } from "../../../../base/usage-error.ts";
import { readDomain, readEmail } from "../../../../records/index.ts";
import type { Command } from "../../../frame/command.ts";
import { openReaderOf } from "../../../frame/node-context.ts";
import { recordOf } from "./record-columns.ts";

export const companyWho: Command = {
  needs: "settings",
  arguments: [{ name: "address", summary: "an e-mail address or a domain" }],
  examples: [
    {
      line: "forager company who info@acme.example",
      summary: "companies and people with this address",
    },
    {
      line: "forager company who acme.example",
      summary: "the company with this domain, and addresses in it",
    },
  ],
  details: ["An address on many unrelated sites usually belongs to a web designer or a form."],

  async run(context) {
    const { args, out } = context;
    const given = args[0]!;
    const email = readEmail(given);
    const domain = readDomain(given);
    if (email === undefined && domain === undefined) {
      throw usageError(`'${given}' is neither an e-mail address nor a domain`);
    }
    await using reader = await openReaderOf(context);
    const { records } = reader;
    const usage = await (email !== undefined
      ? records.emailUsage(email)
      : records.domainUsage(domain!));
    const targets = [...usage.companies, ...usage.people];
    const found = await Promise.all(targets.map((target) => records.find(target)));
    const rows = found
      .filter((one) => one !== undefined)
      .map((one) => ({ kind: one.kind, record: recordOf(one) }));
    out.result({ address: email ?? domain, ...usage }, (layout) =>
      [
        `${countOf(usage.companies.length, "company")}, ${countOf(usage.people.length, "person")}, on ${countOf(usage.sites, "unrelated site")}`,
        layout.table(rows, [
          { title: "kind", value: ({ kind }) => kind },
          { title: "slug", value: ({ record }) => record.slug },
          { title: "name", value: ({ record }) => record.name },
          {
            title: "domain",
            value: ({ record }) => ("domain" in record.texts ? (record.texts.domain ?? "") : ""),
          },
        ]),
      ].join("\n"),
    );
    if (rows.length === 0) return "failed";
  },
};
