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
  // One program builds the types once and uses them for its rules and for the compiler's own errors.
  // Browser code has its own tsconfig.json, which it finds.
  {
    name: "types+lint",
    args: [tools.oxlint, "--type-aware", "--type-check", "--deny-warnings", "."],
    inputs: [...sources, ".oxlintrc.json"],
  },
  { name: "format", args: [tools.oxfmt, "--check", "."], inputs: ["**"] },
];
