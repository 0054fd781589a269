import { readFileSync } from "node:fs";
import { join } from "node:path";
import { docsFolder } from "../src/base/files/docs-page.ts";
import { parse } from "../src/cli/frame/parse.ts";
import { registry } from "../src/cli/registry.ts";
import { definitionsByKey, isSecretForm, type SettingDefinition } from "../src/config/index.ts";
import { root } from "./project.ts";

/** A page that is made from the program itself, so that it cannot be out of date. */
export interface ReferencePage {
  /** Below docs/, such as `reference/commands.md`. */
  readonly path: string;
  readonly text: string;
}

export async function referencePages(): Promise<readonly ReferencePage[]> {
  return [
    { path: "reference/commands.md", text: await commandsPage() },
    { path: "reference/settings.md", text: settingsPage() },
    { path: "reference/api.md", text: apiPage() },
  ];
}

async function commandsPage(): Promise<string> {
  const sections = [`# Commands\n\n${block(await helpOf([]))}`];
  for (const { name } of registry.commands) {
    // The options that all commands have are in the help of the program.
    const help = (await helpOf(name.split(" "))).replace(/^Global Options:\n(?: .*\n)+\n?/m, "");
    sections.push(`## forager ${name}\n\n${block(help)}`);
  }
  return `${sections.join("\n\n")}\n`;
}

async function helpOf(words: readonly string[]): Promise<string> {
  const writes: string[] = [];
  const stdout = { write: (text: string) => writes.push(text) };
  await parse([...words, "--help"], { registry, version: "", stdout });
  return writes.join("").replaceAll(docsFolder, "docs").trim();
}

const block = (text: string): string => `\`\`\`\`text\n${text}\n\`\`\`\``;

function settingsPage(): string {
  const groups = groupBy([...definitionsByKey.values()], ({ key }) =>
    key.includes(".") ? key.slice(0, key.indexOf(".")) : "general",
  );
  const sections = [...groups].map(
    ([name, settings]) =>
      `## ${name}\n\n| setting | default | what | variable |\n| --- | --- | --- | --- |\n` +
      settings.map(settingRow).join("\n"),
  );
  return [
    "# Settings",
    "Each is a key of `forager.toml`, a variable, or an argument of `forager config set`. " +
      "`forager config show` prints every value and where it comes from. " +
      'A secret is written as `{ file = "…" }`, `{ env = "…" }`, `{ command = "…" }` or `{ credential = "…" }`.',
    ...sections,
    "",
  ].join("\n\n");
}

function settingRow({ key, defaultValue, description, form, variable }: SettingDefinition): string {
  const written = typeof defaultValue === "string" ? defaultValue : JSON.stringify(defaultValue);
  const value = defaultValue === undefined || defaultValue === "" ? "–" : `\`${written}\``;
  const what = isSecretForm(form) ? `${description} (a secret)` : description;
  return `| \`${key}\` | ${value} | ${cell(what)} | \`${variable}\` |`;
}

interface OpenApi {
  readonly paths: Record<
    string,
    Record<
      string,
      { readonly summary?: string; readonly tags?: readonly string[]; readonly "x-scope"?: string }
    >
  >;
}

function apiPage(): string {
  const { paths } = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8")) as OpenApi;
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({ path, method, ...route })),
  );
  const groups = groupBy(routes, ({ tags }) => tags?.[0] ?? "general");
  const sections = [...groups].map(
    ([name, own]) =>
      `## ${name}\n\n| request | what | scope |\n| --- | --- | --- |\n` +
      own
        .map(
          ({ method, path, summary, "x-scope": scope }) =>
            `| \`${method.toUpperCase()} ${path}\` | ${cell(summary ?? "")} | ${scope ?? ""} |`,
        )
        .join("\n"),
  );
  return [
    "# HTTP API: all requests",
    "How to sign in, page, repeat and undo is in [the HTTP API](../api.md); parameters and answers are in " +
      "[openapi.json](../openapi.json).",
    ...sections,
    "",
  ].join("\n\n");
}

/** Text inside a cell of a table. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function groupBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
}
