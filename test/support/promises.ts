/**
 * Reads docs/promises.md: tables with the columns id, promise, shown by, tests, state. A test is
 * named as `path` or `path` › title; several are separated by <br>.
 */
export interface PromiseRow {
  readonly id: string;
  readonly words: string;
  readonly shownBy: string;
  readonly tests: readonly { readonly path: string; readonly title: string | undefined }[];
  readonly state: string;
}

/** The text of a test file, or undefined where there is no such file. */
export type ReadTest = (path: string) => string | undefined;

export function parsePromises(markdown: string): readonly PromiseRow[] {
  return markdown.split("\n").flatMap((line) => {
    if (!/^\|\s*[A-Z]\d+\s*\|/.test(line)) return [];
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
    const [id = "", words = "", shownBy = "", tests = "", state = ""] = cells;
    return [{ id, words, shownBy, tests: parseTests(tests), state }];
  });
}

/** Rows that work partly without a sentence above the tables that says what is missing. */
export function unexplained(markdown: string): readonly string[] {
  const intro = markdown.slice(0, markdown.indexOf("\n## "));
  return parsePromises(markdown)
    .filter(({ id, state }) => state === "partly" && !new RegExp(`\\b${id}\\b`).test(intro))
    .map(({ id }) => `${id}: partly, and nothing says what is missing`);
}

/** What the page gets wrong, each entry beginning with the id it concerns. */
export function promiseViolations(
  rows: readonly PromiseRow[],
  { ids, readTest }: { readonly ids: readonly string[]; readonly readTest: ReadTest },
): readonly string[] {
  const idsOfRows = rows.map(({ id }) => id);
  return [
    ...ids.filter((id) => !idsOfRows.includes(id)).map((id) => `${id}: is missing`),
    ...idsOfRows.filter((id) => !ids.includes(id)).map((id) => `${id}: nobody was promised this`),
    ...idsOfRows.filter((id, at) => idsOfRows.indexOf(id) !== at).map((id) => `${id}: comes twice`),
    ...rows.flatMap((row) => rowViolations(row, readTest).map((words) => `${row.id}: ${words}`)),
  ];
}

function rowViolations({ words, shownBy, tests, state }: PromiseRow, readTest: ReadTest): string[] {
  const wrong: string[] = [];
  if (!["works", "partly", "not yet"].includes(state)) wrong.push(`unknown state "${state}"`);
  if (words === "") wrong.push("says nothing");
  if (/^(?:works|partly)$/.test(state) && tests.length === 0)
    wrong.push(`${state}, but no test is named`);
  if (state === "works" && !shownBy.includes("`")) wrong.push("works, but no command shows it");
  for (const { path, title } of tests) {
    const text = readTest(path);
    if (text === undefined) wrong.push(`there is no test file ${path}`);
    else if (!/\.test\.ts$|-suite\.ts$|-clauses\.ts$/.test(path))
      wrong.push(`${path} is no test file`);
    else if (title && !text.includes(title)) wrong.push(`no test "${title}" in ${path}`);
  }
  return wrong;
}

function parseTests(cell: string): PromiseRow["tests"] {
  return cell
    .split("<br>")
    .map((part) => part.trim())
    .filter((part) => part !== "" && part !== "–")
    .map((part) => {
      const [path = "", title] = part.split("›").map((text) => text.trim());
      return { path: path.replaceAll("`", ""), title };
    });
}
