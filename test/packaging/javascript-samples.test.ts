// inputs: README.md CONTRIBUTING.md docs/** src/** package.json scripts/bootstrap.mjs scripts/node/** tsconfig.build.json
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bringMsMax, bringSupportedNode } from "../support/bring-node.ts";
import { builtCli } from "../support/built-cli.ts";
import { fencedBlocks, heredocs } from "../support/markdown.ts";
import { readPages } from "../support/pages.ts";
import { repositoryRoot } from "../support/repository.ts";

/** What a user may paste into a file of plain JavaScript, and where it stands. */
const samples = readPages().flatMap(({ path, text }) =>
  fencedBlocks(text).flatMap(({ language, body, line }) => {
    if (language === "js") return [{ where: `${path}:${line}`, text: body }];
    return heredocs(body)
      .filter(({ name }) => /\.m?js$/.test(name))
      .map((file) => ({ where: `${path}:${line} ${file.name}`, text: file.text }));
  }),
);

const readme = fencedBlocks(readFileSync(join(repositoryRoot, "README.md"), "utf8"));
const readmeSample = readme.find(({ language }) => language === "js")?.body ?? "";

let top = "";
beforeAll(async () => {
  await builtCli();
  top = mkdtempSync(join(tmpdir(), "forager-samples-"));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

function run(node: string, args: readonly string[], cwd: string) {
  const { error, status, stdout, stderr } = spawnSync(node, args, {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

describe.each(["22", "24"] as const)("on Node %s", (name) => {
  let node = "";
  beforeAll(async () => {
    node = await bringSupportedNode(name);
  }, bringMsMax);

  test("README's sample runs as it stands, in an empty project", () => {
    const folder = join(top, `project-${name}`);
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(repositoryRoot, join(folder, "node_modules/forager"), "dir");
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    writeFileSync(join(folder, "sample.mjs"), readmeSample);
    const done = { status: 0, stdout: "https://example.org/\n", stderr: "" };
    expect(run(node, ["sample.mjs"], folder)).toEqual(done);
  });
});

describe("JavaScript in the pages, on the oldest supported Node", () => {
  let node = "";
  beforeAll(async () => {
    node = await bringSupportedNode("22");
  }, bringMsMax);

  const parse = (text: string) => {
    const file = join(top, "parsed.mjs");
    writeFileSync(file, text);
    return run(node, ["--check", file], top);
  };

  test("is that of package.json", () => {
    const { engines } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
      readonly engines: { readonly node: string };
    };
    const oldest = engines.node.replace(">=", "");
    expect(run(node, ["--version"], top).stdout).toBe(`v${oldest}.0\n`);
  });

  test("there are samples, README's among them", () => {
    expect(samples.map(({ where }) => where.split(/[: ]/)[0])).toEqual(
      expect.arrayContaining([
        "README.md",
        "docs/guides/write-a-handler.md",
        "docs/guides/handler-bucket.md",
      ]),
    );
  });

  test.each(samples)("$where is parsed", ({ text }) => {
    expect(parse(text)).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("what it cannot parse is found", () => {
    const { status, stderr } = parse("await using a = { async [Symbol.asyncDispose]() {} };\n");
    expect(status).toBe(1);
    expect(stderr).toContain("SyntaxError");
  });
});
