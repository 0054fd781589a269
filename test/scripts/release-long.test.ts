// long: release
// inputs: src/** docs/** README.md LICENSE CHANGELOG.md CONTRIBUTING.md packaging/** scripts/node/24/**
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeRelease } from "../../scripts/make-release.ts";
import { cacheFolder } from "../../scripts/project.ts";
import { releasePlatforms } from "../../scripts/release-folder.ts";

mkdirSync(cacheFolder, { recursive: true });
const top = mkdtempSync(join(cacheFolder, "test-release-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

test("the same sources give the same bytes, for every platform and with Node", async () => {
  const [once, again] = [join(top, "once"), join(top, "again")];
  const { files } = await makeRelease({ folder: once, platforms: releasePlatforms, hasNode: true });
  await makeRelease({ folder: again, platforms: releasePlatforms, hasNode: true });
  expect(files.filter((file) => file.endsWith(".tar.gz"))).toHaveLength(releasePlatforms.length);
  const differing = files.filter(
    (file) => !readFileSync(join(once, file)).equals(readFileSync(join(again, file))),
  );
  expect(differing).toEqual([]);
});
