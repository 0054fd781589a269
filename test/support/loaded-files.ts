import { posix } from "node:path";
import { findImports } from "./source-scan.ts";
import type { SourceFile } from "./tidy-violation.ts";

/** Every local file that is loaded with this one, whether it is needed then or not. */
export function filesLoadedWith(
  path: string,
  files: readonly SourceFile[],
): ReadonlyMap<string, string> {
  const texts = new Map(files.map((file) => [file.path, file.text]));
  /** Each with the one that asked for it first. */
  const loaded = new Map([[path, ""]]);
  for (const from of loaded.keys()) {
    for (const { specifier, form } of findImports(texts.get(from) ?? "")) {
      const to = posix.join(posix.dirname(from), specifier);
      if (form !== "static" || !specifier.startsWith(".") || loaded.has(to)) continue;
      loaded.set(to, from);
    }
  }
  return loaded;
}
