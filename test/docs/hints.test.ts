// inputs: src/** **/*.md
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestStream } from "../../src/cli/testing/test-stream.ts";
import { parse, type Parsed } from "../../src/cli/frame/parse.ts";
import { registry } from "../../src/cli/registry.ts";
import { readPages } from "../support/pages.ts";
import { repositoryRoot } from "../support/repository.ts";

/** What stands in a hint for a value that its reader knows. */
const placeholder = /^(?:NAME|JOB|NODE|ADDRESS|FILE|KIND|ID|TARGET|DATAGRAM|SITE|SLUG|x)$/;

/** Words as a shell takes them, up to a pipe or a redirection. */
function shellWords(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const end = words.findIndex((word) => /^(?:\||>>?|<|&&|;)$/.test(word));
  return (end === -1 ? words : words.slice(0, end)).map((word) => word.replaceAll(/['"]/g, ""));
}

const parseLine = (line: string): Promise<Parsed> =>
  parse(
    shellWords(line)
      .slice(1)
      .map((word) => (placeholder.test(word) ? "1" : word)),
    { registry, version: "1", stdout: createTestStream() },
  );

async function problemOf(line: string): Promise<string | undefined> {
  const parsed = await parseLine(line);
  // The name of a command alone is no hint to run it.
  const isName = registry.commands.some(({ name }) => `forager ${name}` === line);
  if (isName) return undefined;
  if (parsed.kind === "wrong") return `${line}: ${parsed.error.message.split("\n")[0]}`;
  if (parsed.kind !== "command") return undefined;
  // Without a terminal nobody can answer its question.
  const asks = (parsed.command.options ?? []).some(({ flag }) => flag === "--yes");
  // An editor needs a terminal anyway.
  const isEditor = /^forager campaign edit x$/.test(line);
  const isAsking =
    asks &&
    !isEditor &&
    parsed.flags["yes"] !== true &&
    parsed.flags["undo"] !== true &&
    parsed.flags["recent"] !== true;
  return isAsking ? `${line}: asks, so it needs --yes to run without a terminal` : undefined;
}

test("every example in a command's help is a line that the program understands", async () => {
  const problems: string[] = [];
  for (const entry of registry.commands) {
    for (const { line } of (await entry.load()).examples ?? []) {
      const own = /(?:^|[|(] ?)(forager [^|)]*)/.exec(line)?.[1];
      if (own === undefined) continue;
      const parsed = await parseLine(own);
      if (parsed.kind === "wrong") problems.push(`${own}: ${parsed.error.message}`);
    }
  }
  expect(problems).toEqual([]);
});

test("every command that a message names runs as it is printed, also without a terminal", async () => {
  const hints = new Set<string>();
  const root = join(repositoryRoot, "src");
  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const code = readFileSync(join(root, file), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
      .join("\n")
      .replaceAll(/\$\{[^}]*\}/g, "x")
      .replaceAll(/["`'] \+\n\s*["`']/g, "");
    for (const [, hint] of code.matchAll(
      /(?:\\`|[^:] `|\(`|"`|(?:with|all|meant): )(forager [a-z][^`\\"\n]*)/g,
    )) {
      // Commands of companies and people are written once, for either.
      const line = hint!
        .trim()
        .replace(/[.,;:)]+$/, "")
        .replace(/^forager x/, "forager company");
      const isCommand = !/ x x x|^forager \w+ (?:x|1)/.test(line); // else it labels a key
      if (isCommand) hints.add(line);
    }
  }
  expect(hints.size).toBeGreaterThan(40);
  const problems = await Promise.all([...hints].map(problemOf));
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
});

test("every command that a page names exists, with the options that it names", async () => {
  // Decisions and changes tell of what was; formats name texts that begin like a command.
  const pages = readPages().filter(({ path }) => !/^docs\/(?:adr|formats)\/|CHANGELOG/.test(path));
  const named = new Set(
    pages.flatMap(({ path, text }) =>
      [...text.matchAll(/(?<!`)`(forager [a-z][^`\n]*)`(?!`)/g)].map(
        ([, line]) => `${path}: ${line}`,
      ),
    ),
  );
  expect(named.size).toBeGreaterThan(200);
  const problems: string[] = [];
  for (const line of named) {
    const parsed = await parseLine(line.slice(line.indexOf(": ") + 2).replaceAll("…", ""));
    const message = parsed.kind === "wrong" ? parsed.error.message : "";
    // A page may leave out arguments and values; what it names has to be there.
    if (/^(?:unknown option|there is no|too many arguments)/.test(message))
      problems.push(`${line}: ${message}`);
  }
  expect(problems).toEqual([]);
});
