/**
 * Content signatures: equal when nothing that could change a result has changed. Every input
 * goes in by name and content, so a renamed, added or deleted file changes the signature too.
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { matchesGlob } from "./source-files.ts";

export interface SourceTree {
  readonly root: string;
  /** As listSourceFiles gives them. */
  readonly files: readonly string[];
}

/** What can change the outcome of any check, whichever files it looks at. */
export const commonInputs = ["package.json", "package-lock.json", "tsconfig*.json"];

export interface Signer {
  /** The signature of all files that match one of the globs, and of some words beside them. */
  signFiles(globs: readonly string[], words?: readonly string[]): Promise<string>;
  /** The signature of a test file: itself, what it imports, what it declares as inputs. */
  signTest(path: string, inputs: readonly string[]): Promise<string>;
  /** The files that `signTest` looks at. */
  testInputs(path: string, inputs: readonly string[]): Promise<readonly string[]>;
}

/** Looks at each file once, so a signer is good for one look at the tree. */
export function createSigner({ root, files }: SourceTree): Signer {
  const look = remembered(async (path: string): Promise<SourceFile> => {
    const content = await readFile(join(root, path));
    const digest = createHash("sha256").update(content).digest("hex");
    if (!/\.[cm]?[jt]sx?$/.test(path)) return { digest, references: [] };
    const targets = referredPaths(path, content.toString("utf8"));
    const isThere = await Promise.all(targets.map(isFile));
    return { digest, references: targets.filter((_, index) => isThere[index]) };
  });
  const isFile = remembered(async (path: string) => {
    const found = await stat(join(root, path)).catch(() => undefined);
    return found?.isFile() ?? false;
  });
  const selectOne = remembered((glob: string) => files.filter((path) => matchesGlob(path, glob)));
  const select = (globs: readonly string[]) => globs.flatMap(selectOne);

  const sign = async (paths: Iterable<string>, words: readonly string[]) => {
    const hash = createHash("sha256");
    const runtime = [process.version, process.platform, process.arch];
    hash.update(JSON.stringify([...runtime, ...words]));
    for (const path of [...new Set(paths)].toSorted())
      hash.update(JSON.stringify([path, (await look(path)).digest]));
    return hash.digest("hex");
  };

  const testInputs = async (path: string, inputs: readonly string[]) => {
    const found = new Set([path, ...select(inputs)]);
    // A set is visited in the order of insertion, also by what is inserted on the way.
    for (const current of found)
      for (const reference of (await look(current)).references) found.add(reference);
    return [...found];
  };

  return {
    signFiles: (globs, words = []) => sign(select([...commonInputs, ...globs]), words),
    testInputs,
    async signTest(path, inputs) {
      const common = select([...commonInputs, "vitest.config.ts"]);
      return await sign([...common, ...(await testInputs(path, inputs))], [path, ...inputs]);
    },
  };
}

interface SourceFile {
  readonly digest: string;
  /** The files that it refers to. */
  readonly references: readonly string[];
}

function remembered<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

/**
 * What a module refers to by a relative path. Any quoted relative path that leads to a file counts,
 * be it in an import, an `import()` or a `new URL`: one too many costs a run, one too few would hide
 * a failure.
 */
function referredPaths(path: string, text: string): readonly string[] {
  return [...text.matchAll(/(["'`])(\.\.?\/[^"'`\n]+)\1/g)]
    .map(([, , reference]) => posix.normalize(posix.join(dirname(path), reference!)))
    .filter((target) => !target.startsWith("..") && !target.includes("node_modules"));
}
