import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createAside } from "./aside.ts";
import { joinSheet } from "./front-matter.ts";
import { openRecordDisk, type RecordDisk } from "./record-disk.ts";

const folder = mkdtempSync(join(tmpdir(), "forager-aside-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = joinSheet({ bom: "", lineEnd: "\n", head: "name: Acme\n", body: "As we wrote it." });
const stayed = () => readdirSync(join(folder, "records/aside"));

function openAside() {
  const random = createSeededRandom(7);
  const disk = openRecordDisk(folder, random);
  const clock = createTestClock();
  let reads = 0;
  const counting: RecordDisk = {
    ...disk,
    read: (name) => {
      if (name.startsWith("records/aside/")) reads += 1;
      return disk.read(name);
    },
  };
  const aside = createAside({ disk: counting, clock, random });
  /** As a render does it: what was there makes way. */
  const replace = async (name: string) => {
    await disk.overwrite(name, text, { isHasty: true });
    const taken = aside.take(name)!;
    aside.letGo(taken);
    return taken;
  };
  return { aside, disk, clock, replace, readsSoFar: () => reads };
}

test("who saves one record after the other does not read the last ones each time", async () => {
  const { aside, clock, replace, readsSoFar } = openAside();
  await aside.settle(async () => "nothing");
  const saves = 300;
  for (let at = 0; at < saves; at++) {
    await replace(`companies/c${at}/_index.md`);
    await aside.settleOwn(async () => "nothing");
    await clock.advance(100);
  }
  // When it is taken, when it has rested, and once a minute by whoever looks through all.
  expect(readsSoFar()).toBeLessThan(saves * 3);
  await clock.advance(5_000);
  await aside.settleOwn(async () => "nothing");
  expect(stayed()).toEqual([]);
});

test("what another process left there is found within a minute of saving", async () => {
  const { aside, disk, clock, replace } = openAside();
  await aside.settle(async () => "nothing");
  const moment = clock.nowMs().toString(36);
  const left = `records/aside/${moment}-abcdefgh-companies~left~_index.md`;
  await disk.overwrite(left, "Edited when it was gone already.", { isHasty: true });
  const taken: string[] = [];
  for (let second = 0; second < 70; second++) {
    await replace("companies/acme/_index.md");
    await aside.settleOwn(async (copy) => {
      taken.push(copy.from);
      return "taken";
    });
    await clock.advance(1_000);
  }
  expect(taken).toEqual(["companies/left/_index.md"]);
});
