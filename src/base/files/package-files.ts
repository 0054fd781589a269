import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AppError } from "../app-error.ts";

/** In development the modules run from src; the npm package has them in dist. */
const codeFolder = import.meta.url.endsWith(".ts") ? "src" : "dist";
const packageFolder = findPackageFolder();

/** The absolute path of a file in the package: `packageFile("docs/worker.md")`. */
export const packageFile = (path: string): string => fileURLToPath(new URL(path, packageFolder));

/** The URL of a module, given its path in src, which is the same in dist. */
export const programFile = (path: string): URL => new URL(`${codeFolder}/${path}`, packageFolder);

/**
 * Searches upwards for package.json, because a bundle puts modules into other folders than src
 * does.
 */
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
