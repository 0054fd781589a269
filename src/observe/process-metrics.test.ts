import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readMachine, readTemperature } from "./process-metrics.ts";

test("the temperature is that of the hottest part; where there is none, or a broken one, it is left out", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-thermal-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(await readTemperature(folder)).toBeUndefined();
  const zones = { thermal_zone0: "48312\n", thermal_zone1: "51540\n", thermal_zone2: "-274000\n" };
  for (const [name, temp] of Object.entries({ ...zones, cooling_device0: "99000\n" })) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "temp"), temp);
  }
  expect(await readTemperature(folder)).toBe(51.54);
  expect(await readTemperature(join(folder, "none"))).toBeUndefined();
  expect((await readMachine(folder)).memoryBytes.total).toBeGreaterThan(0);
});
