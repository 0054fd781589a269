import type { Noun } from "../../frame/command.ts";

export const placesNoun: Noun = {
  name: "places",
  summary: "files of places, imported as tiles",
  commands: [
    {
      name: "places import",
      summary: "import a file of places as tiles that every node can read",
      load: async () => (await import("./import.ts")).placesImport,
    },
  ],
};
