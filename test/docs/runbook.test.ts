// inputs: docs/runbook/** src/** tsconfig.build.json
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "../../src/cli/frame/parse.ts";
import { registry } from "../../src/cli/registry.ts";
import { createTestStream } from "../../src/cli/testing/test-stream.ts";
import { alarmNames, listRunbook, runbookNames } from "../../src/notify/index.ts";
import { troubleNames } from "../../src/observe/alert-book.ts";
import { createSandbox } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";

const folder = join(repositoryRoot, "docs/runbook");
const pages = listRunbook();

/** What the pages write for a value that their reader knows. */
const values: Readonly<Record<string, string>> = {
  NAME: "austin",
  ID: "1",
  NODE: "this-node",
  JOB: "nightly",
  HOST: "example.com",
  FILE: "places.csv",
  TEXT: "plumber",
  VALUE: "warn",
  "NODE/SESSION/NUMBER": "0000000000001/0000000000001/1",
};

const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`(forager [^`]+)`/g)].map(([, line]) =>
    line!
      .replace("set NAME VALUE", "set log.level VALUE")
      .split(" ")
      .map((word) => values[word] ?? word)
      .join(" "),
  );

test("every alarm and every problem has a page, and every page is of one", () => {
  for (const name of troubleNames) expect(alarmNames).toContain(name);
  const files = readdirSync(folder).filter((file) => file !== "README.md");
  expect(files.sort()).toEqual(runbookNames.map((name) => `${name}.md`).sort());
  const index = readFileSync(join(folder, "README.md"), "utf8");
  for (const { name, title } of pages) {
    expect(index).toMatch(new RegExp(`\\| \\[\`${name}\`\\]\\(${name}\\.md\\) +\\| ${title} +\\|`));
  }
});

test.each(pages)(
  "$name says what it means, shows, causes, asks for, and when it is over",
  (page) => {
    const headings = [...page.text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(headings).toEqual(["See it", "Usual causes", "What to do", "It is over when"]);
    expect(page.meaning.length).toBeGreaterThan(40);
    const [, see = ""] = page.text.split("## See it");
    expect(commandsIn(see.split("## ")[0]!).length).toBeGreaterThan(0);
  },
);

test("every command of a page is one that the program understands", async () => {
  const problems: string[] = [];
  for (const { name, text } of pages) {
    for (const line of commandsIn(text)) {
      const given = line.split(" ").slice(1);
      const parsed = await parse(given, { registry, version: "1", stdout: createTestStream() });
      if (parsed.kind !== "command") problems.push(`${name}: ${line}: ${parsed.kind}`);
    }
  }
  expect(problems).toEqual([]);
});

/** Commands that would run until they are stopped, visit a website, or need a change in quarantine. */
const notRun = /^forager (?:work|up|node run|crawl|ledger quarantine --restamp|places import)\b/;

test("the commands of the pages run", async () => {
  const lines = new Set(pages.flatMap(({ text }) => commandsIn(text)));
  const sandbox = await createSandbox({ hasSharedProcess: true });
  onTestFinished(() => sandbox.remove());
  const setUp = [
    "config set node.name this-node",
    "config set bucket.url dir:bucket",
    "config set queue.url sqlite:queue.db",
    "config set crawl.contact me@example.com",
    "campaign new austin --phrase plumber",
    "queue add note {} --job nightly",
    "company add Acme",
  ];
  for (const line of setUp) {
    const { exitCode, stderr } = await sandbox.forager(line.split(" "));
    expect(exitCode, `${line}: ${stderr}`).toBe(0);
  }
  const problems: string[] = [];
  for (const line of lines) {
    if (notRun.test(line)) continue;
    // No node runs here that could answer.
    const more = line.startsWith("forager fleet set ") ? ["--wait", "0"] : [];
    const words = [...line.split(" ").slice(1), ...more];
    const { exitCode, stdout, stderr } = await sandbox.forager(words);
    // 3: it found something that needs attention, which is what it is for.
    if (exitCode !== 0 && exitCode !== 3) problems.push(`${line}: ${stdout}${stderr}`);
  }
  expect(problems).toEqual([]);
});
