import { dirname, extname, join } from "node:path";
import { build, type ChunkingContext } from "rolldown";

export interface BundleOptions {
  /** The folder of the sources. */
  readonly from: string;
  /** The folder of the result, which has the files of `bundleEntries` at the same paths. */
  readonly to: string;
}

/** What is started by its path: the program, its worker processes and its threads. */
export const bundleEntries = [
  "cli/main.ts",
  "showcase/demo/demo-node.ts",
  "showcase/loadtest/load-worker.ts",
  "app/work/worker-process.ts",
  "gossip/adapters/mdns/mdns-thread.ts",
  "ledger/adapters/threads/fold-thread.ts",
  "records/adapters/sqlite/index-loader-thread.ts",
  "sources/adapters/parquet/parquet-child.ts",
];

/** Code compiled for one machine, what is not always installed, and what is not there at all. */
const external = ["better-sqlite3", "playwright-core", "pg-native", "@duckdb/node-api"];

/**
 * Files that nearly every command loads together, by the modules that they start from. Each takes in
 * what its modules import and no file above it has. Loading one file of 500 KB costs much less than
 * loading sixty small ones.
 */
const joined: readonly (readonly [file: string, from: readonly string[]])[] = [
  ["help", ["cli/frame/run-process.ts", "cli/options/flags.ts"]],
  [
    "settings",
    [
      "config/index.ts",
      "app/index.ts",
      "base/log/pino-logger.ts",
      "cli/frame/node-context.ts",
      "base/log/kept-log.ts",
    ],
  ],
  ["data", ["app/node/open-node-reader.ts", "app/node/open-node.ts", "app/node/open-fleet.ts"]],
];

/**
 * Joins the modules of the program and of its packages into some hundred files: a command needs few
 * of them instead of six hundred modules, and starts in half the time. What it does not need is not
 * loaded, because package.json says that our modules have no side effects.
 * Returns the errors, if there are any.
 */
export async function bundleProgram({ from, to }: BundleOptions): Promise<string | undefined> {
  const fileOf = createFileChoice(from);
  try {
    await build({
      cwd: dirname(from), // comments name modules by their path from there
      input: Object.fromEntries(
        bundleEntries.map((path) => [path.slice(0, -extname(path).length), join(from, path)]),
      ),
      platform: "node",
      external,
      transform: { target: "node22.14" },
      preserveEntrySignatures: false,
      logLevel: "silent",
      output: {
        dir: to,
        format: "esm",
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
        comments: { legal: true, annotation: false, jsdoc: false },
        codeSplitting: { groups: [{ name: fileOf }], includeDependenciesRecursively: false },
      },
    });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Which of the joined files a module goes into; null: the bundler decides. */
function createFileChoice(from: string) {
  let choice: ReadonlyMap<string, string | null> | undefined;
  return (id: string, context: ChunkingContext): string | null =>
    (choice ??= chooseFiles(from, context)).get(id) ?? null;
}

function chooseFiles(from: string, context: ChunkingContext): Map<string, string | null> {
  const choice = new Map<string, string | null>();
  const takeIn = (file: string | null, starts: readonly string[]) => {
    const waiting = starts.map((path) => join(from, path));
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (choice.has(id)) continue;
      choice.set(id, file);
      waiting.push(...(context.getModuleInfo(id)?.importedIds ?? []));
    }
  };
  takeIn(null, ["cli/main.ts"]); // it says which Node is needed before anything else is loaded
  for (const [file, starts] of joined) takeIn(file, starts);
  return choice;
}
