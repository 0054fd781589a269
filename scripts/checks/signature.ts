/**
 * Content signatures: equal when nothing that could change a result has changed. Every input
 * goes in by name and content, so a renamed, added or deleted file changes the signature too.
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { dirname, join, posix, relative } from "node:path";
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

/** Reads each file once, so a signer is good for one look at the tree. */
export function createSigner(tree: SourceTree): Signer {
  const { root, files } = tree;
  const contents = new Map<string, Promise<Buffer>>();
  const read = (path: string) => {
    const known = contents.get(path);
    if (known) return known;
    const content = readFile(join(root, path));
    contents.set(path, content);
    return content;
  };
  const select = (globs: readonly string[]) =>
    files.filter((path) => globs.some((glob) => matchesGlob(path, glob)));

  const sign = async (paths: Iterable<string>, words: readonly string[]) => {
    const hash = createHash("sha256");
    const runtime = [process.version, process.platform, process.arch];
    hash.update(JSON.stringify([...runtime, ...words]));
    for (const path of [...new Set(paths)].toSorted()) {
      const content = await read(path);
      hash.update(JSON.stringify([path, content.length])).update(content);
    }
    return hash.digest("hex");
  };

  const testInputs = async (path: string, inputs: readonly string[]) => {
    const found = new Set([path, ...select(inputs)]);
    // A set is visited in the order of insertion, also by what is inserted on the way.
    for (const current of found)
      if (/\.[cm]?[jt]sx?$/.test(current))
        for (const imported of await localReferences(root, current, await read(current)))
          found.add(imported);
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

/**
 * The files that a module refers to by a relative path. Any quoted relative path that leads to a
 * file counts, be it in an import, an `import()` or a `new URL`: one too many costs a run, one
 * too few would hide a failure.
 */
async function localReferences(root: string, path: string, content: Buffer): Promise<string[]> {
  const found: string[] = [];
  for (const [, , reference] of content.toString("utf8").matchAll(/(["'`])(\.\.?\/[^"'`\n]+)\1/g)) {
    const target = posix.normalize(posix.join(dirname(path), reference!));
    if (target.startsWith("..") || target.includes("node_modules")) continue;
    const file = await stat(join(root, target)).catch(() => undefined);
    if (file?.isFile()) found.push(relative(root, join(root, target)).replaceAll("\\", "/"));
  }
  return found;
}
