// inputs: package.json **/package-lock.json
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listSourceFiles } from "../../scripts/checks/source-files.ts";
import { root } from "../../scripts/project.ts";
import { installedPackages, readLockfile } from "../support/lockfile.ts";
import type { LockedPackage, Lockfile } from "../support/lockfile.ts";

const ours = "package-lock.json";
const files = await listSourceFiles(root);
const locks = files.filter((path) => /(?:^|\/)package-lock\.json$/.test(path));

test("the locks are found", () => {
  expect(locks).toEqual(expect.arrayContaining([ours, "scripts/node/24/package-lock.json"]));
});

// npm leaves out of the lock what it cannot find for another platform, says nothing, and then
// refuses to install from it: `npm ci` fails in every fresh clone.
test.each(locks)("%s has every package it mentions, for every platform", (path) => {
  expect(missingPackages(readLockfile(path))).toEqual([]);
});

// A function that a newer Node has is then an error of the compiler, not of a user's machine.
test("the types of Node are those of the oldest Node that is supported", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly engines: { readonly node: string };
  };
  const locked = readLockfile(ours).packages["node_modules/@types/node"]?.version;
  expect(`>=${locked?.split(".").slice(0, 2).join(".")}`).toBe(engines.node);
});

describe("where packages come from", () => {
  test.each(locks)("%s takes each one from a registry, and knows its hash", (path) => {
    const lock = readLockfile(path);
    expect(Object.keys(lock.packages).length).toBeGreaterThan(1);
    expect(foreignPackages(lock)).toEqual([]);
  });

  const hash = `sha512-${"a".repeat(86)}==`;
  const good = { version: "1.0.0", integrity: hash };
  const bad: readonly (readonly [string, LockedPackage])[] = [
    ["no hash", { version: "1.0.0" }],
    ["a weak hash", { ...good, integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }],
    ["git", { ...good, resolved: "git+ssh://git@github.com/a/b.git#0123" }],
    ["http", { ...good, resolved: "http://example.org/a/-/a-1.0.0.tgz" }],
    ["a file", { ...good, resolved: "file:a-1.0.0.tgz" }],
    ["a link", { ...good, resolved: "a", link: true }],
    ["a dependency that names an address", { ...good, dependencies: { b: "github:a/b" } }],
  ];
  test.each(bad)("%s is noticed", (_, locked) => {
    const found = foreignPackages({ packages: { "": {}, "node_modules/a": locked } });
    expect(found).toEqual([expect.stringContaining("node_modules/a")]);
  });

  test("a registry's address, a range and another name are fine", () => {
    const resolved = "https://example.org/a/-/a-1.0.0.tgz";
    const dependencies = { b: "^1.2.0 || 2", c: "npm:d@1.0.0", e: "*", f: ">= 1.0.0-beta.1 <2" };
    const lock = { packages: { "node_modules/a": { ...good, resolved, dependencies } } };
    expect(foreignPackages(lock)).toEqual([]);
  });
});

/** Licences of what users install with Forager. All may be combined with Apache-2.0. */
const shipped = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0"];

/** Licences of tools that we run and never ship. */
const forTools = [
  ...shipped,
  "BlueOak-1.0.0",
  "MPL-2.0",
  "(MIT OR CC0-1.0)",
  "Python-2.0",
  "Unlicense",
];

/** Packages of the benchmarks that do not say it in the usual way, each with its licence. */
const saidElsewhere: Readonly<Record<string, string>> = {
  "caniuse-lite": "CC-BY-4.0: data about browsers",
  "map-stream": "MIT, in its README",
  "pause-stream": "MIT and Apache-2.0, as a list",
};

describe("licences", () => {
  test("what is installed with Forager has one that we allow", () => {
    const lock = readLockfile(ours);
    const paths = installedPackages(lock);
    expect(paths.length).toBeGreaterThan(50);
    const wrong = paths.filter((path) => !shipped.includes(lock.packages[path]?.license ?? ""));
    expect(wrong).toEqual([]);
  });

  test("the installed packages say the same as the lock", () => {
    const lock = readLockfile(ours);
    // An optional package of another platform is not there.
    const paths = installedPackages(lock).filter((path) => existsSync(join(root, path)));
    expect(paths.length).toBeGreaterThan(50);
    const differing = paths.filter((path) => {
      const text = readFileSync(join(root, path, "package.json"), "utf8");
      return (JSON.parse(text) as LockedPackage).license !== lock.packages[path]?.license;
    });
    expect(differing).toEqual([]);
  });

  // The other locks have nothing but Node, whose npm packages do not all say that it is MIT.
  test.each([ours, "bench/package-lock.json"])("the tools of %s have one that we allow", (path) => {
    const wrong = Object.entries(readLockfile(path).packages).filter(([place, { license }]) => {
      const name = place.split("node_modules/").at(-1)!;
      return place !== "" && !forTools.includes(license ?? "") && !(name in saidElsewhere);
    });
    expect(wrong.map(([place, { license }]) => `${place}: ${license}`)).toEqual([]);
  });
});

function missingPackages({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !placesOf(path, name).some((place) => place in packages))
      .map((name) => `${path || "package.json"} → ${name}`),
  );
}

/** Where Node looks for a package that another one needs, nearest first. */
function placesOf(path: string, name: string): readonly string[] {
  const parts = path === "" ? [] : path.split("/node_modules/");
  return [...parts.keys(), parts.length].map((count) =>
    [...parts.slice(0, count), count === 0 ? `node_modules/${name}` : name].join("/node_modules/"),
  );
}

/** Packages whose bytes are not proved by a hash, or that do not come from a registry by name. */
function foreignPackages({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    const { resolved, integrity, link, dependencies, optionalDependencies } = locked;
    const problems: string[] = [];
    if (path !== "" && !/^sha512-[\w+/]{86}==$/.test(integrity ?? "")) problems.push("no SHA-512");
    if (link === true || !/^https:\/\/\S+\.tgz$/.test(resolved ?? "https://by.name/a.tgz"))
      problems.push(`comes from ${resolved}`);
    for (const [name, range] of Object.entries({ ...dependencies, ...optionalDependencies }))
      if (!/^(?:npm:[\w@./-]+@)?[\w\s.*^~<>=|-]*$/.test(range))
        problems.push(`wants ${name} from ${range}`);
    return problems.map((problem) => `${path || "package.json"}: ${problem}`);
  });
}
