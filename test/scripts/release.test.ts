// inputs: src/** docs/** README.md LICENSE CHANGELOG.md CONTRIBUTING.md packaging/** scripts/node/24/**
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeRelease } from "../../scripts/make-release.ts";
import { cacheFolder, root } from "../../scripts/project.ts";
import { installedPackages, readLockfile } from "../support/lockfile.ts";
import { installMsMax, userEnvironment } from "../support/package-tarball.ts";

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

/** May be given on under Apache-2.0, with their notices. */
const allowed =
  "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 ISC MIT MIT-0 Python-2.0 Unlicense".split(
    " ",
  );
const platform = `linux-${process.arch}` as "linux-x64" | "linux-arm64";
const archive = `${base}-${platform}.tar.gz`;

beforeAll(async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, "left-over"), "of an earlier release");
  // Node is 40 MB of each archive: the long group `release` makes them with it.
  ({ files } = await makeRelease({ folder, platforms: [platform], hasNode: false }));
}, installMsMax);
afterAll(() => rmSync(top, { recursive: true, force: true }));

test("a release is the npm package, a folder that runs, SBOM, installer and checksums", () => {
  const listed = [`${base}-licences.md`, archive, `${base}.cdx.json`, `${base}.tgz`, "install.sh"];
  expect(files).toEqual([...listed, "SHA256SUMS"]);
  // And nothing of the release that was there before.
  expect(readdirSync(folder).toSorted()).toEqual([...files].toSorted());
});

test("sha256sum confirms the files, and notices another byte", () => {
  const check = () =>
    execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  const confirmed = files.filter((file) => file !== "SHA256SUMS").map((file) => `${file}: OK\n`);
  expect(check()).toBe(confirmed.join(""));
  const tarball = join(folder, `${base}.tgz`);
  const bytes = readFileSync(tarball);
  writeFileSync(tarball, Buffer.concat([bytes, Buffer.from([0])]));
  expect(check).toThrow("sha256sum");
  writeFileSync(tarball, bytes);
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

test("the licence of every package inside is listed, and allows it", () => {
  const text = readFileSync(join(folder, `${base}-licences.md`), "utf8");
  const rows = [...text.matchAll(/^\| (\S+) \| (\d\S*) \| (.+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.map(([, package_]) => package_)).toEqual(
    expect.arrayContaining(["pg", "@aws-sdk/client-s3", "leaflet"]),
  );
  const wrong = rows.filter(([, , , licence]) => !allowed.includes(licence!)).map(([row]) => row);
  expect(wrong).toEqual([]);
});

test("install.sh installs it, and the program runs and says which release it is", () => {
  const installed = join(top, "root");
  const options = { encoding: "utf8", env: userEnvironment } as const;
  const output = execFileSync("sh", [join(folder, "install.sh"), "--root", installed], options);
  const id = /\((\S+)\) in /.exec(output)?.[1];
  expect(id).toMatch(new RegExp(`^${version.replaceAll(".", "\\.")}-[0-9a-f]{8}$`));
  const program = join(installed, "opt/forager/current/bin/forager");
  const home = { ...options, env: { ...userEnvironment, HOME: top } };
  const said: unknown = JSON.parse(execFileSync(program, ["version", "--json"], home));
  expect(said).toEqual({
    version,
    release: id,
    platform,
    node: process.versions.node,
    folder: join(installed, "opt/forager/releases", id!, "/"),
  });
  expect(execFileSync(program, ["version", "--verbose"], home)).toContain(id);
  const doctor = execFileSync(program, ["doctor", "--data", join(top, "data")], home);
  expect(doctor).toMatch(/sqlite +ok/);
  const completion = join(installed, "usr/share/bash-completion/completions/forager");
  expect(readFileSync(completion, "utf8")).toContain("forager");
});
