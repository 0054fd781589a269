import { readRepository } from "./repository.ts";
import type { SourceFile } from "./tidy-violation.ts";

/** The Markdown that users and contributors read: README, CONTRIBUTING, CHANGELOG, docs/. */
export function readPages(): readonly SourceFile[] {
  return readRepository().filter(({ path }) => /^(?:[A-Z]+|docs\/.+)\.md$/.test(path));
}
