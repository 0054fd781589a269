import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { SourceFile } from "./tidy-violation.ts";

export const repositoryRoot = fileURLToPath(new URL("../../", import.meta.url));

/** What is made by a run rather than written by us, as in .gitignore; git itself may be absent. */
const madeByRuns = /^(?:node_modules|dist|release|\.cache|\.git|data)$|\.log$|\.tgz$/;

/** Lock files are long and written by npm. */
const notOurs = /(?:^|\/)package-lock\.json$/;

/** Every file of the working tree that we wrote, in path order. All of them are text. */
export function readRepository(): readonly SourceFile[] {
  return listFiles(repositoryRoot)
    .map((file) => ({ file, path: relative(repositoryRoot, file).split(sep).join("/") }))
    .filter(({ path }) => !notOurs.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ file, path }) => ({ path, text: readFileSync(file, "utf8") }));
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (madeByRuns.test(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}
