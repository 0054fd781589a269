// inputs: docs/** README.md CHANGELOG.md CONTRIBUTING.md LICENSE bench/README.md scripts/docs.ts scripts/docs-reference.ts scripts/docs-site/** src/**
// long: docs
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";

let folder = "";
let files: readonly string[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-docs-"));
  execFileSync(process.execPath, ["--import", "tsx", "scripts/docs.ts", "--to", folder], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  files = readdirSync(folder, { recursive: true, encoding: "utf8" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every page of docs is a page of the site", () => {
  const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => join("docs", path.replace(/md$/, "html")));
  expect(pages.length).toBeGreaterThan(40);
  expect(files).toEqual(expect.arrayContaining(pages));
});

test("a page loads nothing from another host", () => {
  for (const file of files.filter((path) => path.endsWith(".html"))) {
    const loaded = [
      ...readFileSync(join(folder, file), "utf8").matchAll(
        /<(?:script|link|img|iframe)[^>]+(?:src|href)="([^"]+)"/g,
      ),
    ].map(([, address]) => address);
    expect(loaded.filter((address) => /^(?:https?:)?\/\//.test(address!))).toEqual([]);
  }
});

test("commands, settings and requests of the API have a page each, made from the program", () => {
  const reference = (name: string) =>
    readFileSync(join(folder, `docs/reference/${name}.html`), "utf8");
  expect(reference("commands")).toContain("forager queue add");
  expect(reference("settings")).toContain("crawl.contact");
  expect(reference("api")).toContain("/api/audit-log");
});

test("comments of a page are not shown", () => {
  const page = readFileSync(join(folder, "docs/guides/enrich-your-list.html"), "utf8");
  expect(page).not.toContain("&lt;!--");
});

test("the search knows a word of a guide", () => {
  const index = files.filter((path) => path.includes("localSearchIndex"));
  expect(index).toHaveLength(1);
  expect(readFileSync(join(folder, index[0]!), "utf8")).toContain("Enrich your own list");
});

test("every link from one page to another, or to a file, leads somewhere", () => {
  const dead = files
    .filter((path) => path.endsWith(".html"))
    .flatMap((page) =>
      [...readFileSync(join(folder, page), "utf8").matchAll(/<a[^>]+href="([^"#?]+)/g)]
        .map(([, address]) => address!)
        .filter((address) => !/^[a-z]+:/.test(address))
        .filter((address) => {
          const path = address.startsWith("/") ? address : join("/", dirname(page), address);
          return !existsSync(join(folder, decodeURI(path)));
        })
        .map((address) => `${page}: ${address}`),
    );
  expect(dead).toEqual([]);
});

test("files that pages refer to are served as they are", () => {
  for (const path of ["LICENSE", "docs/openapi.json", "docs/formats/queue-sqlite.sql"]) {
    expect(readFileSync(join(folder, path), "utf8")).toBe(readFileSync(join(root, path), "utf8"));
  }
});
