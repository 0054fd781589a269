import { tools } from "../project.ts";

/** A check of the whole tree by one tool. It passes or fails as one. */
export interface Step {
  readonly name: string;
  readonly args: readonly string[];
  /** The files it looks at, beside those that every check depends on. */
  readonly inputs: readonly string[];
}

const sources = ["**/*.ts", "**/*.tsx", "**/*.mts", "**/*.js", "**/*.mjs"];

export const steps: readonly Step[] = [
  { name: "types", args: [tools.tsc, "-p", "."], inputs: sources },
  {
    name: "types of the dashboard",
    args: [tools.tsc, "--noEmit", "-p", "src/dashboard"],
    inputs: ["src/**/*.ts", "src/**/*.tsx", "src/dashboard/tsconfig.json"],
  },
  {
    name: "lint",
    args: [tools.oxlint, "--type-aware", "--deny-warnings", "."],
    inputs: [...sources, ".oxlintrc.json"],
  },
  { name: "format", args: [tools.oxfmt, "--check", "."], inputs: ["**"] },
];
