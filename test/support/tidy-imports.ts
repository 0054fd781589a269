import { posix } from "node:path";
import { findImports } from "./source-scan.ts";
import type { ImportFound } from "./source-scan.ts";
import { isTestCode, isTypeScript } from "./tidy-violation.ts";
import type { Rule, SourceFile, Violation } from "./tidy-violation.ts";

/** Lowest first. A module imports only from the layers below its own. */
export const layers: readonly (readonly string[])[] = [
  ["base"],
  ["usv", "config", "bucket"],
  ["queue", "ledger"],
  ["audit", "gossip", "fleet", "records", "worker", "observe", "crawl", "extract"],
  ["sources", "notify", "site-crawl"],
  ["campaign"],
  ["schedule"],
  ["node", "ship", "infra"],
  ["api"],
  ["publish"],
  ["dashboard"],
  ["app"],
  ["showcase"],
  ["cli"],
];

/** Packages that speak to a backend: only its adapter knows them. */
const drivers =
  /^(?:pg|better-sqlite3|@aws-sdk\/.+|@smithy\/.+|playwright-core|undici|nodemailer|openid-client|bonjour-service|@duckdb\/.+)(?:\/|$)/;

/** Asks whether the driver loads at all, so no adapter can ask for it. Loaded only when it runs. */
const mayLoadDrivers = "src/app/doctor/sqlite-check.ts";

export const importsPointDown: Rule = (file) =>
  localImports(file).flatMap(({ from, to, found }) => {
    if (from.module === to.module) return [];
    const fromLayer = layerOf(from.module);
    const toLayer = layerOf(to.module);
    if (fromLayer === -1 || toLayer === -1) {
      const unknown = fromLayer === -1 ? from.module : to.module;
      return [
        violation(file, found, `${unknown} is in no layer: add it to test/support/tidy-imports.ts`),
      ];
    }
    if (toLayer < fromLayer) return [];
    const remedy = "a module imports only from lower layers: define a port here, wire it in app";
    return [violation(file, found, `${from.module} may not import ${to.module}; ${remedy}`)];
  });

export const importsUseEntryPoints: Rule = (file) =>
  localImports(file).flatMap(({ from, to, found }) => {
    if (from.module === to.module || to.module === "base") return [];
    if (to.rest === "index.ts" || isAdapter(to.rest) || isTesting(to.rest)) return [];
    if (isApiClient(to) || isPortable(to)) return [];
    return [
      violation(file, found, `import src/${to.module}/index.ts, the module's only entry point`),
    ];
  });

export const oneEntryPointPerModule: Rule = (file) => {
  const place = placeOf(file.path);
  if (!place || !/(?:^|\/)index\.ts$/.test(place.rest)) return [];
  if (place.module === "base")
    return [wholeFile(file, "base has no entry point: import its files")];
  if (place.rest === "index.ts") return [];
  // The index of a noun lists its commands.
  if (place.module === "cli" && /^commands\/(?:[\w-]+\/)?index\.ts$/.test(place.rest)) return [];
  return [
    wholeFile(
      file,
      `src/${place.module}/index.ts is the only entry point: name this file by what it exports`,
    ),
  ];
};

export const adaptersOnlyInApp: Rule = (file) =>
  localImports(file).flatMap(({ from, to, found }) => {
    if (!isAdapter(to.rest) || isTestCode(file.path)) return [];
    const isOwnAdapter = from.module === to.module && isAdapter(from.rest);
    if (isOwnAdapter) return [];
    if (from.module !== "app") {
      return [violation(file, found, "only app/ and tests name adapters: take the port instead")];
    }
    if (found.form !== "static") return [];
    return [violation(file, found, "load adapters with await import(), so that --help stays fast")];
  });

export const testingOnlyInTests: Rule = (file) =>
  localImports(file).flatMap(({ to, found }) =>
    isTesting(to.rest) && !isTestCode(file.path)
      ? [violation(file, found, "testing/ is for tests alone")]
      : [],
  );

export const driversOnlyInAdapters: Rule = (file) => {
  const place = placeOf(file.path);
  if (!place || isAdapter(place.rest) || isTestCode(file.path)) return [];
  return findImports(file.text)
    .filter(({ specifier }) => drivers.test(specifier))
    .filter(({ form }) => file.path !== mayLoadDrivers || form !== "dynamic")
    .map((found) => violation(file, found, `${found.specifier} is imported only inside adapters/`));
};

/** Runs in a browser, so it has an entry point of its own. */
const isApiClient = ({ module, rest }: Place) => module === "api" && rest.startsWith("client/");

/** Imports nothing that is made for Node, so that code for browsers may import it. */
const portable: ReadonlySet<string> = new Set([
  "base/text/count-words.ts",
  "base/text/fold-text.ts",
  "base/text/line-diff.ts",
  "campaign/audit/audit-schema.ts",
  "campaign/budget/budget-schema.ts",
  "campaign/estimate/estimate-schema.ts",
  "campaign/report/report-schema.ts",
  "notify/event-names.ts",
  "publish/reader/answer-companies.ts",
  "publish/reader/open-part.ts",
  "publish/reader/search-companies.ts",
  "publish/reader/site-reader.ts",
  "publish/site-format.ts",
  "records/search/fact-terms.ts",
  "records/search/name-keys.ts",
]);
const isPortable = ({ module, rest }: Place) => portable.has(`${module}/${rest}`);

/** Code for browsers cannot load what is made for Node. */
export const browserCodeImports: Rule = (file) => {
  const place = placeOf(file.path);
  const isClient = place?.module === "api" && /^(?:client|contract)\//.test(place.rest);
  const isBrowsers = isClient || place?.module === "dashboard" || (place && isPortable(place));
  if (isTestCode(file.path) || !isBrowsers) return [];
  return [
    ...localImports(file).flatMap(({ from, to, found }) => {
      const isOwn =
        from.module === to.module && (!isClient || /^(?:client|contract)\//.test(to.rest));
      if (isPortable(to) || (isOwn && !isPortable(from)) || isApiClient(to)) return [];
      return [violation(file, found, "code for browsers imports only the API's client and itself")];
    }),
    ...findImports(file.text)
      .filter(({ specifier }) => specifier.startsWith("node:"))
      .map((found) => violation(file, found, "a browser does not have node: modules")),
  ];
};

export const importRules: readonly Rule[] = [
  importsPointDown,
  importsUseEntryPoints,
  oneEntryPointPerModule,
  adaptersOnlyInApp,
  testingOnlyInTests,
  driversOnlyInAdapters,
  browserCodeImports,
];

interface Place {
  readonly module: string;
  /** The path inside the module. */
  readonly rest: string;
}

interface LocalImport {
  readonly from: Place;
  readonly to: Place;
  readonly found: ImportFound;
}

function localImports(file: SourceFile): readonly LocalImport[] {
  const from = placeOf(file.path);
  if (!from || !isTypeScript(file.path)) return [];
  return findImports(file.text).flatMap((found) => {
    if (!found.specifier.startsWith(".")) return [];
    const to = placeOf(posix.join(posix.dirname(file.path), found.specifier));
    return to ? [{ from, to, found }] : [];
  });
}

function placeOf(path: string): Place | undefined {
  const [, module, rest] = /^src\/([^/]+)\/(.+)$/.exec(path) ?? [];
  return module && rest ? { module, rest } : undefined;
}

const layerOf = (module: string) => layers.findIndex((layer) => layer.includes(module));
const isAdapter = (rest: string) => /(?:^|\/)adapters\//.test(rest);
const isTesting = (rest: string) => /(?:^|\/)testing\//.test(rest);

function violation(file: SourceFile, found: ImportFound, message: string): Violation {
  return { path: file.path, line: found.line, message };
}

const wholeFile = (file: SourceFile, message: string): Violation => ({
  path: file.path,
  line: 1,
  message,
});
