import { posix } from "node:path";
import { lineAt } from "./source-scan.ts";
import { isTestCode, isTypeScript } from "./tidy-violation.ts";
import type { SourceFile, Violation } from "./tidy-violation.ts";

const exportedType = /^export\s+(?:declare\s+|abstract\s+)*(?:interface|type|class|enum)\s+(\w+)/gm;

/** A reader who meets an exported type in two files may take it for the same thing. */
export function oneMeaningPerType(files: readonly SourceFile[]): readonly Violation[] {
  const first = new Map<string, string>();
  return files
    .filter(({ path }) => path.startsWith("src/") && isTypeScript(path))
    .flatMap((file) =>
      [...file.text.matchAll(exportedType)].flatMap((match) => {
        const name = match[1]!;
        const other = first.get(name);
        if (other === undefined) first.set(name, file.path);
        if (other === undefined || other === file.path) return [];
        return [violation(file, match.index, `${other} exports a type ${name} too: rename one`)];
      }),
    );
}

/** The package exports everything that these modules export. */
const published = /^src\/(?:bucket|ledger|queue|usv|worker)\/index\.ts$/;
const publishedBeside = /^src\/app\/(?:bucket|ledger|queue|worker)\.ts$/;

const reExport = /^export (?:type )?\{([^}]*)\} from "[^"]+";$/gm;

const namesIn = (list: string): readonly string[] =>
  list
    .split(",")
    .map((item) =>
      item
        .replace(/^\s*type\s+/, "")
        .trim()
        .split(" as ")
        .at(-1)!,
    )
    .filter((name) => name !== "");

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\w+/g));

/** An entry point shows what a module is for. What no other module imports only hides that. */
export function narrowEntryPoints(files: readonly SourceFile[]): readonly Violation[] {
  const entryPoint = /^src\/([\w-]+)\/index\.ts$/;
  return files
    .filter(({ path }) => entryPoint.test(path) && !published.test(path))
    .flatMap((file) => {
      const module = entryPoint.exec(file.path)![1]!;
      const users = files.filter(
        ({ path, text }) => path !== file.path && isUser({ path, text, module }),
      );
      const used = new Set(users.flatMap(({ text }) => [...wordsOf(text)]));
      return [...file.text.matchAll(reExport)].flatMap(({ 1: list = "", index }) =>
        namesIn(list)
          .filter((name) => !used.has(name))
          .map((name) =>
            violation(file, index, `no other module imports ${name}: remove it from here`),
          ),
      );
    });
}

const isUser = ({ path, text, module }: SourceFile & { readonly module: string }): boolean =>
  text.includes(`/${module}/index.ts"`) ||
  (path.startsWith(`src/${module}/`) && /"(?:\.\.?\/)+index\.ts"/.test(text));

const exportedName =
  /^export\s+(?:declare\s+|abstract\s+|async\s+)*(?:function\*?|const|let|class|interface|type|enum)\s+(\w+)/gm;

/** Code that only tests use proves nothing about the program, and has to be kept all the same. */
export function exportsWithUsers(files: readonly SourceFile[]): readonly Violation[] {
  const isProduction = ({ path }: SourceFile) =>
    /^(?:src|bench|scripts)\//.test(path) && /\.(?:tsx?|mjs)$/.test(path) && !isTestCode(path);
  const sources = files.filter(isProduction);
  const publishedNames = new Set(
    sources
      .filter(({ path }) => published.test(path) || publishedBeside.test(path))
      .flatMap(({ text }) => [...text.matchAll(reExport)].flatMap(({ 1: list }) => namesIn(list!))),
  );
  const countOfFiles = new Map<string, number>();
  for (const { text } of sources) {
    for (const word of wordsOf(text.replaceAll(reExport, ""))) {
      countOfFiles.set(word, (countOfFiles.get(word) ?? 0) + 1);
    }
  }
  return sources
    .filter(({ path }) => path.startsWith("src/") && !publishedBeside.test(path))
    .flatMap((file) =>
      [...file.text.matchAll(exportedName)].flatMap((match) => {
        const name = match[1]!;
        if (publishedNames.has(name) || countOfFiles.get(name)! > 1) return [];
        if (file.text.match(new RegExp(String.raw`\b${name}\b`, "g"))!.length > 1) return [];
        return [violation(file, match.index, `only tests use ${name}, or nothing: delete it`)];
      }),
    );
}

/** A folder whose file names fit on a screen. */
const filesMax = 24;

export function scannableFolders(files: readonly SourceFile[]): readonly Violation[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (!/^src\/.*\.tsx?$/.test(path) || isTestCode(path)) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([path, count]) =>
    count > filesMax
      ? [{ path, line: 1, message: `${count} files, more than ${filesMax}: group them by topic` }]
      : [],
  );
}

const violation = (file: SourceFile, index: number, message: string): Violation => ({
  path: file.path,
  line: lineAt(file.text, index),
  message,
});
