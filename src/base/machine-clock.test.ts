import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bootId } from "./machine-clock.ts";

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "forager-boot-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "boot_id");
}

test("the boot id is the kernel's, and the same each time", () => {
  const file = setUp();
  writeFileSync(file, "0f5c3e1a-boot\n");
  expect(bootId({ platform: "linux", file })).toBe("0f5c3e1a-boot");
  expect(bootId()).toBe(bootId());
});

test("on Linux a boot id that is hidden is an error that says how to show it, never a guess", () => {
  const file = setUp();
  const read = () => bootId({ platform: "linux", file });
  const reported = /boot_id cannot be read, .*ProcSubset=pid.*\/proc/;
  expect(read).toThrow(reported);
  writeFileSync(file, "\n");
  expect(read).toThrow(reported);
});

test("elsewhere it is the moment of the boot", () => {
  const file = setUp();
  expect(bootId({ platform: "darwin", file })).toMatch(/-\d+$/);
});
