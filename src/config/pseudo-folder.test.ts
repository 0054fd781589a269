import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusePseudoFolder } from "./pseudo-folder.ts";
import { createTempFolder } from "./testing/temp-folder.ts";

test.skipIf(process.platform !== "linux")("folders that keep no files are refused", () => {
  const folder = createTempFolder();
  symlinkSync("/proc", join(folder, "link"));
  for (const path of ["/proc", "/proc/x/y", "/sys/x", "/dev/x", "/dev", join(folder, "link/x")]) {
    expect(() => refusePseudoFolder(path), path).toThrow("pseudo file system");
  }
});

test("other folders are not, whether they are there or not", () => {
  const folder = createTempFolder();
  mkdirSync(join(folder, "there"));
  symlinkSync(join(folder, "loop"), join(folder, "loop"));
  for (const name of ["there", "missing/deep", "loop/x"]) refusePseudoFolder(join(folder, name));
  for (const path of ["/dev/shm/forager", "/development", "/process"]) refusePseudoFolder(path);
});
