import type { Noun } from "../../frame/command.ts";

export const importNoun: Noun = {
  name: "import",
  summary: "import companies from CSV, JSON, GeoJSON or vCard",
  commands: [
    {
      name: "import companies",
      summary: "import companies from CSV, JSON, GeoJSON or vCard",
      load: async () => (await import("./companies.ts")).importCompanies,
    },
  ],
};
