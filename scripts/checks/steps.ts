import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, tools } from "../project.ts";

/** A check of the whole tree by one tool. It passes or fails as one. */
export interface Step {
  readonly name: string;
  readonly args: readonly string[];
  /** The files it looks at, beside those that every check depends on. */
  readonly inputs: readonly string[];
}

const sources = ["**/*.ts", "**/*.tsx", "**/*.mts", "**/*.js", "**/*.mjs"];

const dashboardProject = "src/dashboard/tsconfig.json";
const dashboardStep: Step = {
  name: "dashboard",
  args: [tools.tsc, "--noEmit", "-p", dashboardProject],
  inputs: ["src/**/*.ts", "src/**/*.tsx", dashboardProject],
};

export const steps: readonly Step[] = [
  { name: "types", args: [tools.tsc, "-p", "."], inputs: sources },
  // Browser code has other types than the rest. Tests of this program have no dashboard.
  ...(existsSync(join(root, dashboardProject)) ? [dashboardStep] : []),
  {
    name: "lint",
    args: [tools.oxlint, "--type-aware", "--deny-warnings", "."],
    inputs: [...sources, ".oxlintrc.json"],
  },
  { name: "format", args: [tools.oxfmt, "--check", "."], inputs: ["**"] },
];
