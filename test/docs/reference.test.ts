// inputs: docs/openapi.json src/** scripts/docs-reference.ts
import { expect, test } from "vitest";
import { referencePages } from "../../scripts/docs-reference.ts";
import { registry } from "../../src/cli/registry.ts";
import { definitionsByKey } from "../../src/config/index.ts";
import { repositoryRoot } from "../support/repository.ts";

const pages = await referencePages();
const textOf = (path: string): string => pages.find((page) => page.path === path)!.text;

test("the reference of commands has each command with its own help", () => {
  const text = textOf("reference/commands.md");
  for (const { name } of registry.commands) {
    const section = text.split(`\n## forager ${name}\n`)[1]?.split("\n## ")[0] ?? "";
    expect(section, name).toContain(`Usage: forager ${name}`);
    expect(section, name).not.toContain("Global Options");
  }
  expect(text.split("Global Options").length).toBeLessThan(3);
});

test("the reference of settings has each setting with its description and variable", () => {
  const text = textOf("reference/settings.md");
  for (const { key, variable } of definitionsByKey.values())
    expect(text).toMatch(new RegExp(`^\\| \`${key}\` \\|.+\\S.+\\| \`${variable}\` \\|$`, "m"));
});

test("the reference of the API has each request of its description", () => {
  const text = textOf("reference/api.md");
  expect(text).toContain("| `GET /api/audit-log` |");
  expect(text.match(/^\| `[A-Z]+ \//gm)!.length).toBeGreaterThan(100);
});

test("no page of the reference has a path of this machine", () => {
  for (const { text } of pages) expect(text).not.toContain(repositoryRoot);
});
