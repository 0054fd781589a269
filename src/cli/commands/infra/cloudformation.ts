import { docsPage } from "../../../base/docs-page.ts";
import { cloudFormationTemplate } from "../../../infra/index.ts";
import type { Command } from "../../command.ts";

export const infraCloudformation: Command = {
  needs: "nothing",
  examples: [
    {
      line: "forager infra cloudformation > fleet.json",
      summary: "a template to create a stack of",
    },
  ],
  details: [
    "A private bucket with lifecycle rules that stays when the stack is deleted, and one managed policy\n" +
      "for each role. `forager infra apply-outputs` then writes its name into the settings.",
    `Page: ${docsPage("guides/bucket-rights.md")}`,
  ],

  async run({ out }) {
    const template = cloudFormationTemplate();
    out.result(template, JSON.stringify(template, undefined, 2));
  },
};
