import { listRunbook, readRunbookPage, runbookNames } from "../../../notify/index.ts";
import type { Command } from "../../frame/command.ts";

export const runbook: Command = {
  needs: "nothing", // must work when something is broken
  arguments: [
    {
      name: "problem",
      summary: "its name, as `status` and alarms show it",
      isOptional: true,
      choices: runbookNames,
    },
  ],
  examples: [
    { line: "forager runbook", summary: "all problems that have a page" },
    { line: "forager runbook node_missing", summary: "the meaning of a problem, and what to do" },
  ],
  details: [
    "`forager status`, alarms and the dashboard name the page of each problem. It says what the\n" +
      "problem means, how to see it, its usual causes, what to do and how to know that it is over.",
  ],

  async run({ args: [name], out }) {
    if (name === undefined) {
      const pages = listRunbook();
      return out.result(
        pages.map(({ text: _text, ...page }) => page),
        (layout) =>
          layout.table(pages, [
            { title: "problem", value: (page) => page.name, isNeverCut: true },
            { title: "means", value: ({ title }) => title },
          ]),
      );
    }
    const page = readRunbookPage(name);
    return out.result(page, page.text);
  },
};
