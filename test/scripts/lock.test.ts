// inputs: package.json package-lock.json
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/project.ts";

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

// npm leaves out of the lock what it cannot find for another platform, says nothing, and then
// refuses to install from it: `npm ci` fails in every fresh clone.
test("package-lock.json has every package it mentions, for every platform", () => {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  const missing: string[] = [];
  for (const [path, { dependencies, optionalDependencies }] of Object.entries(lock.packages))
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
      if (!placesOf(path, name).some((place) => place in lock.packages))
        missing.push(`${path || "package.json"} → ${name}`);
  expect(missing).toEqual([]);
});

/** Where Node looks for a package that another one needs, nearest first. */
function placesOf(path: string, name: string): readonly string[] {
  const parts = path === "" ? [] : path.split("/node_modules/");
  return [...parts.keys(), parts.length].map((count) =>
    [...parts.slice(0, count), count === 0 ? `node_modules/${name}` : name].join("/node_modules/"),
  );
}
