// needs: systemd
// inputs: packaging/systemd/**
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { repositoryRoot } from "../support/repository.ts";
import { needs } from "../support/services.ts";

const unit = readFileSync(join(repositoryRoot, "packaging/systemd/forager.service"), "utf8");
const browser = readFileSync(join(repositoryRoot, "packaging/systemd/browser.conf"), "utf8");

/** What a drop-in adds, as systemd reads it: an empty value clears the list. */
const withBrowser = `${unit}\n${browser}`;

test("/proc stays whole: without it the boot id is unknown and leases are void", () => {
  expect(unit).not.toMatch(/^ProcSubset=/m);
  expect(browser).not.toMatch(/^ProcSubset=/m);
});

needs(["systemd"], ({ systemd }) => {
  const folder = mkdtempSync(join(tmpdir(), "forager-unit-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The file as it is, with a program that is there. */
  function write(name: string, text: string): string {
    mkdirSync(join(folder, name), { recursive: true });
    const file = join(folder, name, "forager.service");
    const runnable = text.replaceAll("/opt/forager/current/bin/forager", "/bin/true");
    writeFileSync(file, runnable);
    return file;
  }

  const analyze = (...args: string[]) =>
    execFileSync(systemd.analyze, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

  const exposure = (file: string): number => {
    const output = analyze("security", "--offline=true", "--no-pager", file);
    return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
  };

  test("the unit is exposed by at most 2.0 of 10, as systemd counts", () => {
    expect(exposure(write("plain", unit))).toBeLessThanOrEqual(2);
    // The same program without any protection, so that the figure means something.
    expect(exposure(write("open", "[Service]\nExecStart=/bin/true\n"))).toBeGreaterThan(9);
  });

  test("with the drop-in for browsers it is exposed by at most 2.2", () => {
    expect(exposure(write("browser", withBrowser))).toBeLessThanOrEqual(2.2);
  });

  test.each([
    ["the unit", unit],
    ["the unit with its drop-in", withBrowser],
  ])("systemd understands every line of %s", (_, text) => {
    const output = execFileSync(
      "sh",
      ["-c", `"$0" verify --man=no "$1" 2>&1 || true`, systemd.analyze, write("verify", text)],
      { encoding: "utf8" },
    );
    expect(output.split("\n").filter((line) => line.includes("forager.service:"))).toEqual([]);
  });
});
