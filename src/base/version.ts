import { readFileSync } from "node:fs";

/** Forager's version. package.json is two folders up from src/base and from dist/base alike. */
export function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
