import { nodeProblem } from "../../base/process/require-node.ts";
import type { Check } from "./check.ts";

export function createNodeCheck(version = process.versions.node): Check {
  return {
    name: "node",
    async run() {
      const problem = nodeProblem(version);
      if (problem === undefined) return { state: "ok", detail: `version ${version}` };
      return {
        state: "fail",
        detail: `version ${version} is too old`,
        advice: problem,
      };
    },
  };
}
