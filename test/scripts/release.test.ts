// inputs: src/** docs/** README.md LICENSE CHANGELOG.md CONTRIBUTING.md scripts/make-release.ts
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeRelease } from "../../scripts/make-release.ts";
import { cacheFolder, root } from "../../scripts/project.ts";
import { installedPackages, readLockfile } from "../support/lockfile.ts";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly unknown[];
  readonly hashes?: readonly unknown[];
}
interface Sbom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Component;
const base = `${name}-${version}`;
const top = mkdtempSync(join(cacheFolder, "test-release-"));
const folder = join(top, "release");
let files: readonly string[] = [];

beforeAll(async () => {
  await makeRelease(folder);
  writeFileSync(join(folder, "left-over"), "of an earlier release");
  files = (await makeRelease(folder)).files;
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

test("a release is the npm package, its SBOM and their checksums, and replaces the last one", () => {
  expect(files).toEqual([`${base}.cdx.json`, `${base}.tgz`, "SHA256SUMS"]);
  expect(readdirSync(folder).toSorted()).toEqual([...files].toSorted());
});

test("sha256sum confirms the files, and notices another byte", () => {
  const check = () =>
    execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  expect(check()).toBe(`${base}.cdx.json: OK\n${base}.tgz: OK\n`);
  const tarball = join(folder, `${base}.tgz`);
  const bytes = readFileSync(tarball);
  writeFileSync(tarball, Buffer.concat([bytes, Buffer.from([0])]));
  expect(check).toThrow("sha256sum");
  writeFileSync(tarball, bytes);
});

test("the same sources give the same bytes", async () => {
  const again = join(top, "again");
  await makeRelease(again);
  for (const file of files)
    expect(readFileSync(join(again, file)).equals(readFileSync(join(folder, file))), file).toBe(
      true,
    );
});

test("the SBOM names every package that is installed with Forager, and no development tool", () => {
  const sbom = JSON.parse(readFileSync(join(folder, `${base}.cdx.json`), "utf8")) as Sbom;
  expect(sbom.bomFormat).toBe("CycloneDX");
  expect(sbom.metadata.component).toMatchObject({ name, version });
  const lock = readLockfile("package-lock.json");
  const wanted = installedPackages(lock).map(
    (path) => `${path.split("node_modules/").at(-1)!}@${lock.packages[path]!.version!}`,
  );
  const listed = sbom.components.map((component) => `${component.name}@${component.version}`);
  expect(listed.toSorted()).toEqual([...new Set(wanted)].toSorted());
  const incomplete = sbom.components.filter(({ licenses, hashes }) => !licenses || !hashes);
  expect(incomplete).toEqual([]);
});
