import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { repositoryRoot } from "./repository.ts";

/** TypeScript from a page. `page` is the page's path in the repository, `line` where it starts. */
export interface Snippet {
  readonly page: string;
  readonly line: number;
  readonly body: string;
}

/**
 * Compiles each snippet as a module of its own, as strictly as our sources, and returns what the
 * compiler says ("" when all is well). `forager/…` means what package.json exports, taken from
 * src; a relative import is seen from the page's folder. Lines in messages are lines of the page.
 */
export function compileSnippets(snippets: readonly Snippet[]): string {
  const parent = join(repositoryRoot, ".cache"); // inside the repository: node_modules resolve
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "snippets-"));
  try {
    for (const snippet of snippets) {
      // Blank lines above keep the page's line numbers.
      const text = "\n".repeat(snippet.line) + localise(snippet, folder);
      writeFileSync(join(folder, fileName(snippet)), text);
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig(folder)));
    return runCompiler(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Where each entry of `exports` has its source: forager/queue → src/queue/index.ts. */
export function sourceOfExports(
  exports: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(exports).flatMap(([entry, target]) => {
    const built = typeof target === "string" ? target : (target as { default?: string }).default;
    if (!built?.endsWith(".js")) return [];
    const source = built.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts");
    return [[`forager${entry.slice(1)}`, source]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function tsconfig(folder: string): unknown {
  const text = readFileSync(join(repositoryRoot, "package.json"), "utf8");
  const { exports } = JSON.parse(text) as { exports: Record<string, unknown> };
  const paths = Object.entries(sourceOfExports(exports)).map(([name, source]) => [
    name,
    [relative(folder, join(repositoryRoot, source))],
  ]);
  return {
    extends: relative(folder, join(repositoryRoot, "tsconfig.json")),
    compilerOptions: {
      paths: Object.fromEntries(paths) as unknown,
      moduleDetection: "force",
      noUnusedLocals: false, // an example may name a result and stop there
    },
    include: ["*.ts"],
    exclude: [],
  };
}

function localise({ page, body }: Snippet, folder: string): string {
  const pageFolder = dirname(join(repositoryRoot, page));
  return body.replaceAll(
    /(\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"]*)"/g,
    (_, before: string, specifier: string) =>
      `${before}"${relative(folder, resolve(pageFolder, specifier))}"`,
  );
}

function runCompiler(folder: string): string {
  const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
      encoding: "utf8",
      cwd: folder,
    });
    return "";
  } catch (error) {
    const { stdout } = error as { stdout?: unknown };
    if (typeof stdout === "string" && stdout !== "") return stdout;
    throw error;
  }
}

const fileName = ({ page, line }: Snippet) => `${page.replaceAll(/[/.]/g, "-")}-line-${line}.ts`;
