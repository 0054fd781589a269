import { describeSettings } from "../../../config/index.ts";
import type { Command } from "../../frame/command.ts";

export const configShow: Command = {
  needs: "settings",
  examples: [
    { line: "forager config show", summary: "what is set, and by which file, variable or flag" },
    { line: "forager config show --json", summary: "the same for a program" },
    { line: "forager --data ./here config show", summary: "what a flag would change" },
  ],

  async run({ loaded, out }) {
    out.table(describeSettings(loaded), [
      { title: "key", value: (row) => row.key, isKey: true },
      { title: "value", value: (row) => row.value },
      { title: "source", value: (row) => row.source },
    ]);
  },
};
