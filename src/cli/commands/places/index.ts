import type { Noun } from "../../frame/command.ts";

export const placesNoun: Noun = {
  name: "places",
  summary: "files of places, cut into tiles",
  commands: [
    {
      name: "places import",
      summary: "cut a file of places into tiles that every node can read",
      load: async () => (await import("./import.ts")).placesImport,
    },
  ],
};
