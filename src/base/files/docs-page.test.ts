import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { expect, test } from "vitest";
import { docsFolder, docsPage } from "./docs-page.ts";

test("a page is named by a path that can be opened from any folder", () => {
  for (const path of [docsFolder, docsPage("worker.md"), docsPage("guides/queue.md")]) {
    expect(isAbsolute(path)).toBe(true);
    expect(existsSync(path), path).toBe(true);
  }
});
