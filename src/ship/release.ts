import { readFileSync } from "node:fs";
import { AppError } from "../base/app-error.ts";
import { packageFile } from "../base/files/package-files.ts";
import { readVersion } from "../base/version.ts";

/** `release.json` of a release folder. Made by `npm run release`. */
export interface ReleaseFile {
  readonly format: 1;
  readonly version: string;
  /** The version and the start of a hash over all files: equal files have equal ids. */
  readonly id: string;
  readonly platform: string;
}

/** The version of this program and its environment, for `forager version --verbose`. */
export interface ProgramInfo {
  readonly version: string;
  /** Undefined if it was not installed from a release folder. */
  readonly release: string | undefined;
  readonly platform: string;
  readonly node: string;
  /** The folder in which it is installed. */
  readonly folder: string;
}

export function describeProgram(): ProgramInfo {
  return {
    version: readVersion(),
    release: readRelease()?.id,
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
    folder: packageFile("."),
  };
}

/** Undefined if this program is not in a release folder. */
function readRelease(file = packageFile("release.json")): ReleaseFile | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const release = parseRelease(text);
  if (release) return release;
  throw new AppError("corrupt", "package_incomplete", `${file} is damaged: install Forager again`);
}

/** Parsed without zod, because zod takes longer to load than the whole command may take. */
export function parseRelease(text: string): ReleaseFile | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { format, version, id, platform } = (found ?? {}) as Record<string, unknown>;
  const areTexts = [version, id, platform].every((one) => typeof one === "string" && one !== "");
  return format === 1 && areTexts ? (found as ReleaseFile) : undefined;
}
