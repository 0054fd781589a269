import { docsPage } from "../../../base/files/docs-page.ts";
import { cloudFormationTemplate } from "../../../infra/index.ts";
import type { Command } from "../../frame/command.ts";

export const infraCloudformation: Command = {
  needs: "nothing",
  examples: [
    {
      line: "forager infra cloudformation > fleet.json",
      summary: "a template for a new stack",
    },
  ],
  details: [
    "The stack has a private bucket with lifecycle rules and one managed policy for each role. The\n" +
      "bucket is kept when the stack is deleted. `forager infra apply-outputs` writes the bucket's name\n" +
      "into the settings.",
    `Page: ${docsPage("guides/bucket-rights.md")}`,
  ],

  async run({ out }) {
    const template = cloudFormationTemplate();
    out.result(template, JSON.stringify(template, undefined, 2));
  },
};
