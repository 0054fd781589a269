/** A known-wrong variant of the code, and the test that must fail on it. */
export interface Sabotage {
  /** What is wrong, as one would tell it: "a release does not refund the attempt". */
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** "path of a test file > part of a title". */
  readonly caughtBy: string;
}

export interface Catcher {
  readonly file: string;
  readonly title: string;
}

export function catcherOf({ caughtBy, name }: Sabotage): Catcher {
  const [file, title, ...rest] = caughtBy.split(" > ");
  if (!file || !title || rest.length > 0) {
    throw new Error(`"${name}" is caught by "${caughtBy}", which is not "file > title"`);
  }
  return { file, title };
}

export function sabotaged(source: string, { find, replace, name, file }: Sabotage): string {
  const parts = source.split(find);
  if (parts.length !== 2) {
    throw new Error(`"${name}": its text occurs ${parts.length - 1} times in ${file}, not once`);
  }
  return parts.join(replace);
}

/** How one test ended, as vitest's JSON reporter tells it. */
export interface TestEnd {
  readonly fullName: string;
  readonly status: string;
}

/**
 * "absent": no test of that title ran, for instance because the variant does not even load, and a
 * crash proves nothing about the test.
 */
export type Verdict = "caught" | "missed" | "absent";

export function verdictOf(ends: readonly TestEnd[], title: string): Verdict {
  const own = ends.filter(
    ({ fullName, status }) =>
      fullName.includes(title) && (status === "passed" || status === "failed"),
  );
  if (own.length === 0) return "absent";
  return own.some(({ status }) => status === "failed") ? "caught" : "missed";
}
