import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { AppError } from "../../../base/app-error.ts";

const names = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
  "chrome",
];
const places = [
  "/usr/bin",
  "/usr/local/bin",
  "/snap/bin",
  "/opt/google/chrome",
  "/Applications/Chromium.app/Contents/MacOS",
  "/Applications/Google Chrome.app/Contents/MacOS",
];

/** A browser of this machine: the configured one, else the first that is found. */
export function findChromium(
  configured: string | undefined,
  { path = "" }: { readonly path?: string } = {},
): string {
  if (configured !== undefined) {
    if (isProgram(configured)) return configured;
    throw missing(`there is no program at ${configured}, which a setting names as the browser`);
  }
  const folders = [...path.split(delimiter).filter((folder) => folder !== ""), ...places];
  for (const folder of folders) {
    for (const name of [...names, "Chromium", "Google Chrome"]) {
      const file = join(folder, name);
      if (isProgram(file)) return file;
    }
  }
  throw missing(
    "no Chromium was found: install it (Debian: apt install chromium) or name one in a setting",
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const missing = (message: string) => new AppError("invalid", "browser_missing", message);
