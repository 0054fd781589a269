import { posix } from "node:path";
import { scanSource } from "./source-scan.ts";
import {
  exportsWithUsers,
  narrowEntryPoints,
  oneMeaningPerType,
  scannableFolders,
} from "./tidy-exports.ts";
import { importRules } from "./tidy-imports.ts";
import { plainComments } from "./tidy-language.ts";
import { isTestCode, isTypeScript, violationsOf } from "./tidy-violation.ts";
import type { Rule, SourceFile, Violation } from "./tidy-violation.ts";

/** What would make a run impossible to repeat, or a setting invisible, and what to use instead. */
const bannedGlobals: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  { pattern: /\bDate\s*\.\s*now\b/g, message: "Date.now: use clock.nowMs()" },
  {
    pattern: /\bnew\s+Date\b(?!\s*\(\s*[^\s)])|(?<!new\s+|[.\w$])\bDate\s*\(/g,
    message: "new Date(): use new Date(clock.nowMs())",
  },
  {
    pattern: /\bperformance\s*\.\s*now\b|\bprocess\s*\.\s*hrtime\b/g,
    message: "performance.now: use clock.monotonicMs()",
  },
  {
    pattern: /(?:(?<![.\w$])|\bglobalThis\s*\.\s*)(?:setTimeout|setInterval|setImmediate)\b/g,
    message: "timers: use clock.setTimer() or sleep(clock, …)",
  },
  {
    pattern:
      /\b(?:SuppressedError|(?:Async)?DisposableStack|RegExp\.escape|Promise\.try|Error\.isError)\b/g,
    message: "Node 22, the oldest that is supported, does not have it",
  },
  { pattern: /\bMath\s*\.\s*random\b/g, message: "Math.random: use random.next()" },
  {
    pattern: /\b(?:randomUUID|randomBytes|randomInt|getRandomValues)\b/g,
    message: "randomUUID and its kin: use createId(random) or random.bytes()",
  },
  { pattern: /\bprocess\s*\.\s*env\b/g, message: "process.env: take a setting from src/config" },
  { pattern: /(?<![.\w$])console\b/g, message: "console: take a Logger" },
];

/** base makes the replacements, config reads the environment, cli owns the terminal, dashboard runs in a browser. */
const mayUseGlobals = /^src\/(?:base|config|cli|dashboard)\//;

export const noBannedGlobals: Rule = (file) => {
  if (!file.path.startsWith("src/") || mayUseGlobals.test(file.path)) return [];
  if (file.path.endsWith(".test.ts")) return [];
  const view = scanSource(file.text).code;
  return bannedGlobals.flatMap((ban) => violationsOf(file, { view, ...ban }));
};

/** They have a limit of output that follows from what they unpack. */
const mayUnpack = new Set([
  "src/base/files/gunzip-bounded.ts",
  "src/app/backup/unpack-backup.ts", // to the disk, piece by piece: memory is bounded
  "src/crawl/unpack.ts",
  "src/publish/reader/open-part.ts",
]);

export const boundedUnpacking: Rule = (file) =>
  !file.path.startsWith("src/") || isTestCode(file.path) || mayUnpack.has(file.path)
    ? []
    : violationsOf(file, {
        view: scanSource(file.text).code,
        pattern:
          /\b(?:create)?(?:gunzip|unzip|inflate|brotliDecompress|zstdDecompress)(?:Raw)?(?:Sync)?\b|\bDecompressionStream\b/gi,
        message:
          "unpacking without a limit: use gunzipBounded, or createUnpacker for what the web sends",
      });

export const oneUrlParser: Rule = (file) =>
  file.path === "src/base/text/parse-url.ts"
    ? []
    : violationsOf(file, {
        view: scanSource(file.text).code,
        pattern: /\bURL\s*\.\s*(?:canParse|parse)\b/g,
        message: "URL.canParse changes its answer once it is hot: use parseUrl of src/base",
      });

export const noDefaultExport: Rule = (file) =>
  // The tools that read these files demand one.
  file.path.endsWith(".config.ts") || file.path.endsWith("-reporter.ts")
    ? []
    : violationsOf(file, {
        view: scanSource(file.text).code,
        pattern: /\bexport\s+default\b|\bas\s+default\b/g,
        message: "no default exports: a name that can be searched for",
      });

const emptyNames = /^(?:utils?|helpers?|common|managers?|types?|misc)$/;

export const tellingNames: Rule = ({ path }) => {
  const folders = posix.dirname(path).split("/");
  const stem = posix.basename(path).replace(/(?:\.[a-z]+)?\.\w+$/, "");
  const lastWord = stem.split("-").at(-1) ?? stem;
  const bad = [...folders, lastWord].find((name) => emptyNames.test(name));
  return bad ? [at(path, `"${bad}" says nothing: name it after what it exports`)] : [];
};

export const kebabCaseNames: Rule = ({ path }) =>
  /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)?\.(?:tsx?|mjs)$/.test(posix.basename(path))
    ? []
    : [at(path, "file names are kebab-case")];

export const fileSize: Rule = ({ path, text }) => {
  const lines = text.split("\n").length - 1;
  const linesMax = isTestCode(path) ? 600 : 400;
  return lines > linesMax ? [at(path, `${lines} lines, more than ${linesMax}: split it`)] : [];
};

/** Skips aloud what needs a server that is not there, and fails in CI. */
const maySkip = "test/support/services.ts";

export const noSkippedTests: Rule = (file) =>
  isTestCode(file.path) && file.path !== maySkip
    ? violationsOf(file, {
        view: scanSource(file.text).code,
        pattern: /\.\s*(?:only|skip|todo)\s*[(.]/g,
        message: "a test that is skipped, planned or alone hides others: run it or delete it",
      })
    : [];

export const noEscapeFromTypes: Rule = (file) => {
  const { code, comments } = scanSource(file.text);
  return [
    ...violationsOf(file, {
      view: code,
      pattern: /\bas\s+any\b|<any>/g,
      message: "as any: narrow an unknown instead",
    }),
    ...violationsOf(file, {
      view: comments,
      pattern: /@ts-(?:ignore|nocheck)/g,
      message: "the compiler is not to be silenced: fix the type",
    }),
  ];
};

export const noLeftovers: Rule = (file) =>
  violationsOf(file, {
    view: isTypeScript(file.path)
      ? scanSource(file.text).comments
      : file.text.replaceAll(/`[^`\n]*`/g, (span) => " ".repeat(span.length)),
    pattern: /\b(?:TODO|FIXME)\b/g,
    message: "unfinished work belongs in an issue",
  });

/** Folders of the machines this is written on, and of notes that users do not have. */
const privatePlaces =
  /(?<![\w./:-])\/(?:work|root|farm)(?:\/[\w.]|(?=["'`\s:;]|$))|\.\.\/shared\b/gm;

export const noMachinePaths: Rule = (file) =>
  violationsOf(file, {
    view: file.text,
    pattern: privatePlaces,
    message: "a path of one machine: make it relative, or take it from a setting",
  });

const pageName = /(?<![\w/])docs\/[\w/-]+\.md/g;

/** A user has our pages in some folder of the installed package, and a relative path does not say which. */
export const pagesByPath: Rule = (file) => {
  if (!file.path.startsWith("src/") || isTestCode(file.path)) return [];
  if (file.text.search(pageName) === -1) return []; // to scan a file takes time
  const { code, comments } = scanSource(file.text);
  const isBlank = (view: string, at: number) => /\s/.test(view.charAt(at));
  const strings = file.text
    .split("")
    .map((char, at) => (isBlank(code, at) && isBlank(comments, at) ? char : " "));
  return violationsOf(file, {
    view: strings.join(""),
    pattern: pageName,
    message: 'a page that users cannot find: use docsPage("page.md") of base',
  });
};

export const noRecursiveMkdir: Rule = (file) =>
  !file.path.startsWith("src/") || isTestCode(file.path)
    ? []
    : violationsOf(file, {
        view: scanSource(file.text).code,
        pattern: /\bmkdir(?:Sync)?\s*\([^;]*?\brecursive\b/g,
        message: "recursive mkdir never ends on some file systems: use makeFolder of src/base",
      });

const sourceRules: readonly Rule[] = [
  ...importRules,
  noBannedGlobals,
  boundedUnpacking,
  oneUrlParser,
  noDefaultExport,
  tellingNames,
  kebabCaseNames,
  fileSize,
  noSkippedTests,
  noEscapeFromTypes,
  pagesByPath,
  noRecursiveMkdir,
  plainComments,
];

const glossaryRowsMax = 60;

/** Only words that users meet, each with one meaning: a longer glossary is a private language. */
export const shortGlossary: Rule = ({ path, text }) => {
  if (path !== "docs/glossary.md") return [];
  const rows = [...text.matchAll(/^\| (?!word |---)([^|]+?) \|/gm)];
  const words = rows.flatMap(([, cell]) => cell!.split(", "));
  const twice = words.filter((word, index) => words.indexOf(word) !== index);
  return [
    ...twice.map((word) => at(path, `"${word}" is explained twice`)),
    ...(rows.length > glossaryRowsMax
      ? [at(path, `${rows.length} rows, more than ${glossaryRowsMax}: users meet fewer words`)]
      : []),
  ];
};

/** Everything that is wrong with these files, in their order. */
export function tidyViolations(files: readonly SourceFile[]): readonly Violation[] {
  const perFile = files.flatMap((file) => {
    const isSource = isTypeScript(file.path) || file.path.endsWith(".mjs");
    const rules = [noLeftovers, noMachinePaths, shortGlossary, ...(isSource ? sourceRules : [])];
    return rules.flatMap((rule) => rule(file));
  });
  const acrossFiles = [oneMeaningPerType, narrowEntryPoints, exportsWithUsers, scannableFolders];
  return [...perFile, ...acrossFiles.flatMap((rule) => rule(files))];
}

const at = (path: string, message: string): Violation => ({ path, line: 1, message });
