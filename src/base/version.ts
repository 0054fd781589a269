import { readFileSync } from "node:fs";
import { packageFile } from "./files/package-files.ts";

/** Forager's version. */
export function readVersion(): string {
  const text = readFileSync(packageFile("package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
