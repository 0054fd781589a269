import { describeProgram } from "../../../ship/index.ts";
import type { Command } from "../../frame/command.ts";

export const version: Command = {
  needs: "nothing", // must work when everything else is broken
  examples: [
    { line: "forager version", summary: "the version alone, as --version prints it" },
    {
      line: "forager version --verbose",
      summary: "and the release, the platform, Node and where it is installed",
    },
    { line: "forager version --json", summary: "all details as JSON" },
  ],

  async run({ isVerbose, out }) {
    const program = describeProgram();
    out.result(program, (layout) => {
      if (!isVerbose) return `${program.version}\n`;
      const { release = "none: not installed from a release", ...rest } = program;
      const rows = Object.entries({ ...rest, release });
      return layout.table(rows, [
        { title: "what", value: ([name]) => name },
        { title: "value", value: ([, value]) => value, isNeverCut: true },
      ]);
    });
  },
};
