import { docsPage } from "../../base/files/docs-page.ts";
import type { Check } from "./check.ts";

export const checkSecrets: Check = {
  name: "secrets",
  async run({ warnings }) {
    if (warnings.length === 0) {
      return { state: "ok", detail: "no secret is in a file that others can read" };
    }
    const advice = `see ${docsPage("node.md")}, Secrets`;
    return { state: "warn", detail: warnings.join("; "), advice };
  },
};
