import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AppError } from "./app-error.ts";

/** In development the modules of src run as they are; the package has them in dist. */
const codeFolder = import.meta.url.endsWith(".ts") ? "src" : "dist";
const packageFolder = findPackageFolder();

/** A file of the package by its path there: `packageFile("docs/worker.md")`. */
export const packageFile = (path: string): string => fileURLToPath(new URL(path, packageFolder));

/** A file of the program by its path in src, which is its path in dist too. */
export const programFile = (path: string): URL => new URL(`${codeFolder}/${path}`, packageFolder);

/** A bundle puts modules into other folders than src has, so package.json is searched for upwards. */
function findPackageFolder(): URL {
  let folder = new URL("./", import.meta.url);
  while (!existsSync(new URL("package.json", folder))) {
    const parent = new URL("../", folder);
    if (parent.href === folder.href) {
      const message = `Forager's package.json is not above ${import.meta.url}: install Forager again`;
      throw new AppError("corrupt", "package_incomplete", message);
    }
    folder = parent;
  }
  return folder;
}
