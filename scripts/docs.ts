/**
 * `npm run docs [-- --to FOLDER]`: builds the pages of docs/ as a static site with search, which needs
 * no server and no network. A link to a page that does not exist is an error.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { parseArgs } from "node:util";
import { npmInstall } from "../bench/frame/npm.ts";
import { installedVersion } from "../bench/frame/peers.ts";
import { createNodeRunner } from "./checks/node-runner.ts";
import { referencePages, type ReferencePage } from "./docs-reference.ts";
import { cacheFolder, root } from "./project.ts";

const generator = "vitepress";
const generatorFolder = join(root, "scripts", "docs-site");
/** Pages keep the paths they have in the repository, so that the links between them hold. */
const copied = [
  "docs",
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "SECURITY.md",
  "bench/README.md",
];

/** Pages that are not in a folder of their own kind, by what a reader wants. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "Gather and keep": ["campaigns", "places", "crawl", "enrich", "extract", "site-crawl", "records"],
  "Run and watch": ["install", "node", "fleet", "gossip", "schedules", "dashboard", "metrics"],
  "Choose and build": ["choosing-a-backend", "cost", "worker", "api", "api-curl", "coming-from"],
  "How it is made": [
    "architecture",
    "threat-model",
    "security-checks",
    "glossary",
    "promises",
    "lessons",
    "testing",
  ],
};

/** Guides in the order in which a new user needs them; others follow by name. */
const guidesInOrder = [
  "enrich-your-list",
  "first-campaign",
  "place-sources",
  "stay-polite-and-legal",
  "export-and-crm",
  "publish",
  "share-a-bucket",
  "add-a-machine",
  "postgres",
  "watch-a-fleet",
  "deploy-to-pis",
  "when-something-is-wrong",
  "back-up-and-restore",
  "write-a-handler",
  "handler-bucket",
  "queue",
].map((name) => pageAt(`docs/guides/${name}`));

const { values } = parseArgs({ options: { to: { type: "string" } } });
const to = resolve(values.to ?? join(root, "docs-site"));
const stage = join(cacheFolder, "docs-site");

await installGenerator();
await layOutPages();
const { code, output } = await createNodeRunner().run([
  join(generatorFolder, "node_modules", generator, "bin", "vitepress.js"),
  "build",
  stage,
]);
if (code === 0) {
  rmSync(to, { recursive: true, force: true });
  cpSync(join(stage, ".vitepress", "dist"), to, { recursive: true });
  process.stderr.write(`wrote ${to}: copy it to any web server\n`);
} else {
  process.stderr.write(`${output}\nerror: the docs site could not be built; the reason is above\n`);
  process.exitCode = 1;
}

/** It is no dependency of ours: only this script needs it. */
async function installGenerator(): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(generatorFolder, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const isThere =
    installedVersion(generatorFolder, generator) === manifest.devDependencies[generator];
  if (isThere) return;
  process.stderr.write(`installing ${generator} into scripts/docs-site/node_modules\n`);
  await npmInstall({ folder: generatorFolder });
}

async function layOutPages(): Promise<void> {
  rmSync(stage, { recursive: true, force: true });
  for (const path of copied) {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    cpSync(join(root, path), join(stage, path), { recursive: true });
  }
  for (const path of copied) {
    // What is not a page is served as it is, at the same path.
    cpSync(join(root, path), join(stage, "public", path), {
      recursive: true,
      filter: (file) => !file.endsWith(".md"),
    });
  }
  for (const path of readdirSync(stage, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".md")) continue;
    const page = join(stage, path);
    // Comments are for the tests that execute the page; as text they would be shown.
    const text = readFileSync(page, "utf8").replaceAll(/<!--[\s\S]*?-->\n?/g, "");
    writeFileSync(page, withSiteLinks(path, text));
  }
  renameSync(join(stage, "README.md"), join(stage, "index.md"));
  // After the comments are taken out: help and settings may hold such text.
  const reference = await referencePages();
  mkdirSync(join(stage, "docs/reference"));
  for (const { path, text } of reference) writeFileSync(join(stage, "docs", path), text);
  const decisions = pagesIn("docs/adr").map(({ text, link }) => `- [${text}](${link}.md)`);
  writeFileSync(
    join(stage, "docs/adr/index.md"),
    `# Decisions and their reasons\n\n${decisions.join("\n")}\n`,
  );
  symlinkSync(join(generatorFolder, "node_modules"), join(stage, "node_modules"));
  mkdirSync(join(stage, ".vitepress"));
  writeFileSync(
    join(stage, ".vitepress", "config.mjs"),
    `export default ${JSON.stringify(config(reference), undefined, 2)};\n`,
  );
}

/** The README is the site's first page, and files that are not pages are linked without `.html`. */
function withSiteLinks(path: string, text: string): string {
  return text.replaceAll(/\]\(([^)\s#:]+)(#[^)\s]*)?\)/g, (link, to: string, anchor = "") => {
    const target = posix.join(posix.dirname(path), to);
    if (target === "README.md") {
      return `](${posix.relative(posix.dirname(path), "index.md")}${anchor})`;
    }
    const file = join(stage, "public", target);
    return existsSync(file) && statSync(file).isFile() ? `${link}{target="_self"}` : link;
  });
}

function config(reference: readonly ReferencePage[]): object {
  const grouped = Object.entries(groups).map(([text, names]) => ({
    text,
    collapsed: true,
    items: names.map((name) => pageAt(`docs/${name}`)),
  }));
  const isGrouped = new Set(Object.values(groups).flat());
  const missing = pagesIn("docs").filter(({ link }) => !isGrouped.has(link.slice("/docs/".length)));
  if (missing.length > 0) grouped.push({ text: "More", collapsed: true, items: missing });
  return {
    title: "Forager",
    description: "A fleet of small machines gathers company data into plain text",
    cleanUrls: false,
    lastUpdated: false,
    // Pages are Markdown alone: `<noun>` in a text is no element.
    markdown: { html: false },
    themeConfig: {
      search: { provider: "local" },
      outline: "deep",
      sidebar: [
        { text: "Guides", items: guides() },
        ...grouped,
        { text: "When something is wrong", collapsed: true, items: pagesIn("docs/runbook") },
        {
          text: "Reference",
          collapsed: true,
          items: reference.map(({ path, text }) => ({
            text: titleOf(text) ?? path,
            link: `/docs/${path.replace(/\.md$/, "")}`,
          })),
        },
        { text: "Formats", collapsed: true, items: pagesIn("docs/formats") },
        { text: "Decisions", collapsed: true, items: pagesIn("docs/adr") },
        { text: "Changes", link: "/CHANGELOG" },
      ],
    },
  };
}

function guides(): readonly PageLink[] {
  const isListed = new Set(guidesInOrder.map(({ link }) => link));
  return [...guidesInOrder, ...pagesIn("docs/guides").filter(({ link }) => !isListed.has(link))];
}

interface PageLink {
  readonly text: string;
  readonly link: string;
}

function pagesIn(folder: string): readonly PageLink[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => pageAt(`${folder}/${name.slice(0, -".md".length)}`));
}

function pageAt(path: string): PageLink {
  const file = join(root, `${path}.md`);
  if (!existsSync(file)) throw new Error(`scripts/docs.ts names ${path}.md, which does not exist`);
  return { text: titleOf(readFileSync(file, "utf8")) ?? path, link: `/${path}` };
}

function titleOf(page: string): string | undefined {
  return /^# (.+)$/m.exec(page)?.[1];
}
