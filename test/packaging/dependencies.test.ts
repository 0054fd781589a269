import { describe, expect, test } from "vitest";
import { directDependencies, installedPackages, readLockfile } from "../support/lockfile.ts";
import type { Lockfile } from "../support/lockfile.ts";

const lockfile = readLockfile("package-lock.json");

describe("what an install brings in", () => {
  test("at most 22 direct dependencies beside what is optional", () => {
    const optional = Object.keys(lockfile.packages[""]?.optionalDependencies ?? {});
    const direct = directDependencies(lockfile).filter((name) => !optional.includes(name));
    expect(direct).toContain("commander");
    expect(direct.length, direct.join(" ")).toBeLessThanOrEqual(22);
  });

  test("at most 100 packages beside the AWS client and what is optional", () => {
    const optional = Object.keys(lockfile.packages[""]?.optionalDependencies ?? {});
    expect(optional).toEqual(["bonjour-service"]);
    const besides = ["@aws-sdk/client-s3", ...optional];
    const installed = installedPackages(lockfile, { besides });
    expect(installed).toContain("node_modules/commander");
    expect(installed.length, installed.join("\n")).toBeLessThanOrEqual(100);
  });
});

describe("installedPackages", () => {
  const sample: Lockfile = {
    packages: {
      "": { dependencies: { a: "1", aws: "1" } },
      "node_modules/a": { dependencies: { shared: "1", nested: "1" } },
      "node_modules/a/node_modules/nested": { optionalDependencies: { shared: "1", absent: "1" } },
      "node_modules/aws": { dependencies: { shared: "1", "only-aws": "1" } },
      "node_modules/only-aws": {},
      "node_modules/shared": {},
      "node_modules/vitest": {},
    },
  };

  test("counts all that is reached, nested ones by folder, and no development packages", () => {
    expect(installedPackages(sample)).toEqual([
      "node_modules/a",
      "node_modules/a/node_modules/nested",
      "node_modules/aws",
      "node_modules/only-aws",
      "node_modules/shared",
    ]);
  });

  test("leaves out what only the named dependency needs, and keeps what others share", () => {
    expect(installedPackages(sample, { besides: ["aws"] })).toEqual([
      "node_modules/a",
      "node_modules/a/node_modules/nested",
      "node_modules/shared",
    ]);
  });
});
