import { listNames, type ListNamesOptions } from "../../../app/index.ts";
import { fleetOf } from "../../options/bucket-option.ts";
import type { Command, NameSort } from "../../frame/command.ts";

const sorts: readonly NameSort[] = ["company", "person", "campaign", "node"];

export const names: Command = {
  needs: "settings",
  arguments: [
    { name: "sort", summary: "the kind of names", choices: sorts },
    { name: "start", summary: "only names with this prefix", isOptional: true },
  ],
  examples: [
    { line: "forager names company ac", summary: "company folders whose names begin with ac" },
    { line: "forager names campaign", summary: "all campaigns" },
  ],
  details: ["At most 1,000 names. The scripts of `forager completion` ask for them at every tab."],

  async run(context) {
    const [sort = "company", start = ""] = context.args;
    const found = await listNames({
      ...fleetOf(context),
      sort: sort as ListNamesOptions["sort"],
      start,
    });
    if (context.out.isJson) context.out.result(found, "");
    else await context.out.piece(found.map((name) => `${name}\n`).join(""));
  },
};
