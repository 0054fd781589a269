import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../base/app-error.ts";

/** The files of the page. index.html is last, so that all files it refers to exist before it. */
export async function dashboardPageFiles(folder: string): Promise<readonly string[]> {
  try {
    const assets = await readdir(join(folder, "assets"));
    return [...assets.toSorted().map((name) => `assets/${name}`), "licences.txt", "index.html"];
  } catch (cause) {
    const message = "the dashboard is not part of this installation: install Forager again, or run npm run build in a checkout"; // prettier-ignore
    throw new AppError("corrupt", "dashboard_missing", message, { cause });
  }
}
