import { describe, expect, test } from "vitest";
import {
  exportsWithUsers,
  narrowEntryPoints,
  oneMeaningPerType,
  scannableFolders,
} from "./tidy-exports.ts";
import {
  adaptersOnlyInApp,
  driversOnlyInAdapters,
  importsPointDown,
  importsUseEntryPoints,
  oneEntryPointPerModule,
  testingOnlyInTests,
} from "./tidy-imports.ts";
import { plainComments } from "./tidy-language.ts";
import {
  boundedUnpacking,
  fileSize,
  kebabCaseNames,
  noBannedGlobals,
  noDefaultExport,
  noEscapeFromTypes,
  noLeftovers,
  noMachinePaths,
  noRecursiveMkdir,
  noSkippedTests,
  oneUrlParser,
  pagesByPath,
  shortGlossary,
  tellingNames,
  tidyViolations,
} from "./tidy-rules.ts";
import { formatViolations } from "./tidy-violation.ts";
import type { Rule } from "./tidy-violation.ts";

interface Sample {
  readonly path: string;
  readonly text: string;
}

const importing = (path: string, specifier: string): Sample => ({
  path,
  text: `import { x } from "${specifier}";\n`,
});
const here = (text: string, path = "src/queue/a.ts"): Sample => ({ path, text });
const named = (path: string): Sample => ({ path, text: "" });
const privatePath = ["", "work", "main"].join("/");

/** For each rule: what it must refuse (with a word of the message), and what it must let pass. */
const cases: Readonly<
  Record<
    string,
    {
      readonly rule: Rule;
      readonly refused: readonly (readonly [Sample, string])[];
      readonly passed: readonly Sample[];
    }
  >
> = {
  importsPointDown: {
    rule: importsPointDown,
    refused: [
      [importing("src/queue/a.ts", "../crawl/index.ts"), "queue may not import crawl"],
      [importing("src/base/a.ts", "../config/index.ts"), "base may not import config"],
      [importing("src/queue/a.test.ts", "../ledger/index.ts"), "queue may not import ledger"],
      [importing("src/queue/adapters/sqlite/a.ts", "../../../app/b.ts"), "may not import app"],
      [here('const b = await import("../cli/main.ts");'), "may not import cli"],
      [importing("src/misfit/a.ts", "../base/clock.ts"), "misfit is in no layer"],
    ],
    passed: [
      importing("src/cli/a.ts", "../config/index.ts"),
      importing("src/queue/a.ts", "./b.ts"),
      importing("src/queue/a.ts", "node:path"),
      importing("test/e2e/a.test.ts", "../../src/cli/main.ts"),
      here('// import { x } from "../crawl/index.ts"'),
    ],
  },
  importsUseEntryPoints: {
    rule: importsUseEntryPoints,
    refused: [
      [importing("src/cli/a.ts", "../config/settings.ts"), "src/config/index.ts"],
      [importing("src/queue/a.ts", "../bucket/ports/index.ts"), "src/bucket/index.ts"],
    ],
    passed: [
      importing("src/cli/a.ts", "../config/index.ts"),
      importing("src/cli/a.ts", "../base/clock.ts"),
      importing("src/queue/model/a.ts", "../b.ts"),
    ],
  },
  oneEntryPointPerModule: {
    rule: oneEntryPointPerModule,
    refused: [
      [named("src/base/index.ts"), "base has no entry point"],
      [named("src/queue/model/index.ts"), "only entry point"],
    ],
    passed: [named("src/queue/index.ts"), named("src/queue/reindex.ts")],
  },
  adaptersOnlyInApp: {
    rule: adaptersOnlyInApp,
    refused: [
      [importing("src/cli/a.ts", "../queue/adapters/sqlite/b.ts"), "only app/"],
      [importing("src/queue/index.ts", "./adapters/memory/b.ts"), "only app/"],
      [importing("src/app/a.ts", "../queue/adapters/sqlite/b.ts"), "await import()"],
    ],
    passed: [
      here('await import("../queue/adapters/sqlite/b.ts");', "src/app/a.ts"),
      importing("src/queue/adapters/sqlite/a.ts", "./schema.ts"),
      importing("src/queue/a.test.ts", "./adapters/memory/b.ts"),
    ],
  },
  testingOnlyInTests: {
    rule: testingOnlyInTests,
    refused: [[importing("src/queue/a.ts", "../base/testing/test-clock.ts"), "for tests alone"]],
    passed: [
      importing("src/queue/a.test.ts", "../base/testing/test-clock.ts"),
      importing("src/queue/testing/a-suite.ts", "../../base/testing/test-clock.ts"),
    ],
  },
  driversOnlyInAdapters: {
    rule: driversOnlyInAdapters,
    refused: [
      [importing("src/queue/a.ts", "better-sqlite3"), "better-sqlite3"],
      [importing("src/cli/commands/doctor/doctor.ts", "pg"), "pg"],
      [importing("src/bucket/a.ts", "@aws-sdk/client-s3"), "@aws-sdk/client-s3"],
      [here('type D = typeof import("undici");'), "undici"],
      [importing("src/app/doctor/sqlite-check.ts", "better-sqlite3"), "better-sqlite3"],
    ],
    passed: [
      importing("src/queue/adapters/sqlite/a.ts", "better-sqlite3"),
      importing("src/queue/a.ts", "pg-format"),
      here('await import("better-sqlite3");', "src/app/doctor/sqlite-check.ts"),
      importing("src/queue/a.test.ts", "pg"),
    ],
  },
  noBannedGlobals: {
    rule: noBannedGlobals,
    refused: [
      [here("const t = Date.now();"), "clock.nowMs()"],
      [here("const t = new Date();"), "clock.nowMs()"],
      [here("const t = new Date;"), "clock.nowMs()"],
      [here("const t = Date();"), "clock.nowMs()"],
      [here("const t = performance.now();"), "clock.monotonicMs()"],
      [here("setTimeout(f, 1);"), "clock.setTimer()"],
      [here("globalThis.setInterval(f, 1);"), "clock.setTimer()"],
      [here("await new Promise(setImmediate);"), "clock.setTimer()"],
      [here("const r = Math.random();"), "random.next()"],
      [here("if (e instanceof SuppressedError) throw e;"), "Node 22"],
      [here("const id = crypto.randomUUID();"), "createId(random)"],
      [here("const v = process.env.HOME;"), "src/config"],
      [here('console.log("hi");'), "Logger"],
      [here("const s = `at ${Date.now()}`;"), "clock.nowMs()"],
      [here("setTimeout(f, 1);", "src/queue/testing/a-suite.ts"), "clock.setTimer()"],
    ],
    passed: [
      here("const t = new Date(clock.nowMs()); Date.UTC(2026, 0); Date.parse(text);"),
      here("socket.setTimeout(5); log.console.x; // Date.now()"),
      here('const s = "Math.random()"; const p = /process.env/;'),
      here("Date.now(); console.log(process.env);", "src/cli/main.ts"),
      here("Date.now();", "src/base/clock.ts"),
      here("performance.now();", "test/e2e/a.test.ts"),
    ],
  },
  boundedUnpacking: {
    rule: boundedUnpacking,
    refused: [
      [here('import { gunzipSync } from "node:zlib";'), "gunzipBounded"],
      [here("const s = zlib.createInflateRaw();"), "createUnpacker"],
      [here("zlib.brotliDecompress(bytes, done);"), "createUnpacker"],
      [here('new DecompressionStream("gzip");'), "createUnpacker"],
    ],
    passed: [
      here('import { gzipSync } from "node:zlib"; // not gunzipSync'),
      here("gunzipSync(bytes);", "src/queue/a.test.ts"),
      here("createGunzip();", "src/crawl/unpack.ts"),
    ],
  },
  oneUrlParser: {
    rule: oneUrlParser,
    refused: [
      [here("if (URL.canParse(text)) f();"), "parseUrl"],
      [here("const url = URL.parse(text);", "scripts/a.ts"), "parseUrl"],
    ],
    passed: [
      here("const url = new URL(text); // not URL.canParse"),
      here("URL.canParse(text);", "src/base/text/parse-url.ts"),
    ],
  },
  noDefaultExport: {
    rule: noDefaultExport,
    refused: [
      [here("export default 1;"), "no default exports"],
      [here("export { a as default };"), "no default exports"],
    ],
    passed: [
      here("export const a = 1;"),
      here("export default {};", "vitest.config.ts"),
      here("export default class {}", "scripts/checks/ci-reporter.ts"),
    ],
  },
  tellingNames: {
    rule: tellingNames,
    refused: [
      [named("src/queue/utils.ts"), "utils"],
      [named("src/queue/types.ts"), "types"],
      [named("src/queue/lease-manager.ts"), "manager"],
      [named("test/support/helpers.test.ts"), "helpers"],
      [named("src/common/text.ts"), "common"],
    ],
    passed: [named("src/queue/lease-keeper.ts"), named("src/queue/type-check.ts")],
  },
  kebabCaseNames: {
    rule: kebabCaseNames,
    refused: [
      [named("src/queue/leaseKeeper.ts"), "kebab-case"],
      [named("src/queue/Lease.ts"), "kebab-case"],
      [named("src/queue/lease_keeper.test.ts"), "kebab-case"],
    ],
    passed: [
      named("src/queue/lease-keeper.test.ts"),
      named("bench/start-up.bench.ts"),
      named("scripts/bootstrap.mjs"),
    ],
  },
  noRecursiveMkdir: {
    rule: noRecursiveMkdir,
    refused: [
      [here("mkdirSync(folder, { recursive: true });"), "makeFolder"],
      [here("await fs.mkdir(join(a, b), { mode: 0o700, recursive: true });"), "makeFolder"],
    ],
    passed: [
      here("mkdirSync(folder);\nrmSync(folder, { recursive: true });"),
      here("mkdirSync(folder, { recursive: true });", "src/queue/a.test.ts"),
      here("mkdirSync(folder, { recursive: true });", "test/e2e/a.ts"),
    ],
  },
  plainComments: {
    rule: plainComments,
    refused: [
      [here("// A lane that is taken from by and by."), "each step"],
      [here("/**\n * A moment missed for\n * want of a slot.\n */"), "because there is no"],
      [here("/** A command from afar. */", "src/queue/a.test.ts"), "which machine"],
      [here("// It is written anew.\n"), "again, or rebuilt"],
      [here("// Waits after so\n// many tries.\n"), "maximum number"],
    ],
    passed: [
      here('const text = "by and by";'),
      here("// Standby and bytes.\n"),
      here("// from afar", "test/e2e/a.ts"),
    ],
  },
  fileSize: {
    rule: fileSize,
    refused: [
      [here("\n".repeat(401)), "401 lines, more than 400"],
      [here("\n".repeat(601), "src/queue/a.test.ts"), "601 lines, more than 600"],
    ],
    passed: [here("\n".repeat(400)), here("\n".repeat(600), "src/queue/testing/a-suite.ts")],
  },
  noSkippedTests: {
    rule: noSkippedTests,
    refused: [
      [here('test.only("a", f);', "src/queue/a.test.ts"), "hides others"],
      [here('describe.skip("a", f);', "test/e2e/a.test.ts"), "hides others"],
      [here('test.todo("a");', "src/queue/testing/a-suite.ts"), "hides others"],
      [here('test.skip.each([1])("a", f);', "src/queue/a.test.ts"), "hides others"],
    ],
    passed: [
      here('test.skipIf(isAbsent)("a", f);', "src/queue/a.test.ts"),
      here("rows.skip(3);", "src/queue/a.ts"),
    ],
  },
  noEscapeFromTypes: {
    rule: noEscapeFromTypes,
    refused: [
      [here("const a = b as any;"), "as any"],
      [here("// @ts-ignore\nconst a = b;"), "not to be silenced"],
      [here("/* @ts-nocheck */"), "not to be silenced"],
    ],
    passed: [here('const a = "as any";'), here("const a = b as unknown;")],
  },
  pagesByPath: {
    rule: pagesByPath,
    refused: [
      [here('throw new Error("see docs/worker.md");'), "cannot find"],
      [here("const a = `${b} (docs/guides/queue.md)`;"), "cannot find"],
    ],
    passed: [
      here("// See docs/worker.md."),
      here('const a = docsPage("worker.md");'),
      here('const a = "https://example.org/docs/a.md";'),
      here('const a = "docs/worker.md";', "test/docs/a.test.ts"),
    ],
  },
  noLeftovers: {
    rule: noLeftovers,
    refused: [
      [here("// TODO later"), "belongs in an issue"],
      [here("FIXME: this page", "docs/a.md"), "belongs in an issue"],
    ],
    passed: [here('const state = "TODO";'), here("no `TODO` here", "docs/a.md")],
  },
  noMachinePaths: {
    rule: noMachinePaths,
    refused: [
      [here(`const a = "${privatePath}";`), "one machine"],
      [here(`HOME=${["", "root"].join("/")} npm test`, "docs/a.md"), "one machine"],
      [here(["see ..", "shared", "design.md"].join("/"), "README.md"), "one machine"],
    ],
    passed: [
      here('const a = "https://example.org/work/a"; const b = "docs/work/c"; get("/workers");'),
    ],
  },
};

describe.each(Object.entries(cases))("%s", (_name, { rule, refused, passed }) => {
  test.each(
    refused.map(([sample, words]) => [sample.path, sample.text.slice(0, 60), words, sample]),
  )("refuses %s: %s", (_path, _text, words, sample) => {
    expect(formatViolations(rule(sample))).toContain(words);
  });

  test("lets good code pass", () => {
    expect(formatViolations(passed.flatMap((sample) => rule(sample)))).toBe("");
  });
});

describe("shortGlossary", () => {
  const page = (rows: readonly string[]) =>
    here(`| word | meaning |\n| --- | --- |\n${rows.join("\n")}\n`, "docs/glossary.md");

  test("refuses a word that is explained twice, and more rows than a user can read", () => {
    const rows = Array.from({ length: 60 }, (_, index) => `| word-${index} | a meaning |`);
    expect(shortGlossary(page(rows))).toEqual([]);
    expect(formatViolations(shortGlossary(page([...rows, "| one | more |"])))).toContain("61 rows");
    const twice = page(["| owner, client | a |", "| client | b |"]);
    expect(formatViolations(shortGlossary(twice))).toContain('"client" is explained twice');
  });
});

describe("oneMeaningPerType", () => {
  test("refuses a type that two files of src export under one name", () => {
    const files = [
      here("export interface Place {}\n", "src/queue/a.ts"),
      here("const x = 1;\nexport type Place = string;\n", "src/crawl/b.ts"),
      here("export interface Place {}\n", "test/support/c.ts"),
      here('export type { Place } from "./b.ts";\ninterface Place2 {}\n', "src/crawl/index.ts"),
    ];
    expect(formatViolations(oneMeaningPerType(files))).toBe(
      "src/crawl/b.ts:2 src/queue/a.ts exports a type Place too: rename one",
    );
  });
});

describe("narrowEntryPoints", () => {
  test("refuses a name in an entry point that no other module imports", () => {
    const index = 'export { a, type B, c as d } from "./a.ts";\n';
    const files = [
      here(index, "src/fleet/index.ts"),
      here(index, "src/queue/index.ts"), // the package exports all of it
      here('import { a } from "../fleet/index.ts";\n', "src/app/a.ts"),
      here("const B = 1;\n", "src/app/b.ts"),
    ];
    expect(formatViolations(narrowEntryPoints(files))).toBe(
      [
        "src/fleet/index.ts:1 no other module imports B: remove it from here",
        "src/fleet/index.ts:1 no other module imports d: remove it from here",
      ].join("\n"),
    );
  });
});

describe("exportsWithUsers", () => {
  test("refuses what only tests use, also if an entry point exports it", () => {
    const files = [
      here("export const used = 1;\nexport function unused() {}\n", "src/fleet/a.ts"),
      here('export { used, unused } from "./a.ts";\n', "src/fleet/index.ts"),
      here('import { used } from "../fleet/index.ts";\n', "src/app/b.ts"),
      here('import { unused } from "./a.ts";\n', "src/fleet/a.test.ts"),
      here("export const shown = 1;\n", "src/queue/c.ts"),
      here('export { shown } from "./c.ts";\n', "src/queue/index.ts"),
    ];
    expect(formatViolations(exportsWithUsers(files))).toBe(
      "src/fleet/a.ts:2 only tests use unused, or nothing: delete it",
    );
  });
});

describe("scannableFolders", () => {
  test("refuses a folder of more than 24 files, without its tests", () => {
    const some = (count: number, end: string) =>
      Array.from({ length: count }, (_, index) => named(`src/queue/f-${index}${end}`));
    expect(scannableFolders([...some(24, ".ts"), ...some(24, ".test.ts")])).toEqual([]);
    expect(formatViolations(scannableFolders(some(25, ".ts")))).toContain("25 files, more than 24");
  });
});

describe("tidyViolations", () => {
  test("every rule is applied to a source file", () => {
    const texts = Object.values(cases).flatMap(({ refused }) => refused);
    for (const [sample, words] of texts) {
      expect(formatViolations(tidyViolations([sample]))).toContain(words);
    }
  });

  test("a violation names its line", () => {
    expect(noBannedGlobals(here("\n\nDate.now();\n"))).toMatchObject([{ line: 3 }]);
    expect(noMachinePaths(here(`a\n${privatePath}\n`))).toMatchObject([{ line: 2 }]);
  });
});
