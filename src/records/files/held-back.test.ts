import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createHeldBack } from "./held-back.ts";
import { joinSheet } from "../page/front-matter.ts";
import { openRecordDisk, type RecordDisk } from "./record-disk.ts";

const folder = mkdtempSync(join(tmpdir(), "forager-aside-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = joinSheet({ bom: "", lineEnd: "\n", head: "name: Acme\n", body: "As we wrote it." });
const stayed = () => readdirSync(join(folder, "records/aside"));

function openHeldBack() {
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
  const heldBack = createHeldBack({ disk: counting, clock, random });
  /** Like a render. */
  const replace = async (name: string) => {
    await disk.overwrite(name, text, { isHasty: true });
    const held = heldBack.hold(name)!;
    heldBack.release(held);
    return held;
  };
  return { heldBack, disk, clock, replace, readsSoFar: () => reads };
}

test("a series of saves does not read the last held files each time", async () => {
  const { heldBack, clock, replace, readsSoFar } = openHeldBack();
  await heldBack.review(async () => "nothing");
  const saves = 300;
  for (let at = 0; at < saves; at++) {
    await replace(`companies/c${at}/_index.md`);
    await heldBack.reviewDue(async () => "nothing");
    await clock.advance(100);
  }
  // Read when it is held, when it is due, and once a minute in the complete review.
  expect(readsSoFar()).toBeLessThan(saves * 3);
  await clock.advance(5_000);
  await heldBack.reviewDue(async () => "nothing");
  expect(stayed()).toEqual([]);
});

test("a file that a killed process left there is found within a minute of saving", async () => {
  const { heldBack, disk, clock, replace } = openHeldBack();
  await heldBack.review(async () => "nothing");
  const moment = clock.nowMs().toString(36);
  const left = `records/aside/${moment}-abcdefgh-companies~left~_index.md`;
  await disk.overwrite(left, "Edited when it was gone already.", { isHasty: true });
  const ingested: string[] = [];
  for (let second = 0; second < 70; second++) {
    await replace("companies/acme/_index.md");
    await heldBack.reviewDue(async (copy) => {
      ingested.push(copy.from);
      return "ingested";
    });
    await clock.advance(1_000);
  }
  expect(ingested).toEqual(["companies/left/_index.md"]);
});

test("a file that its owner opened to others is theirs alone once it is held", async () => {
  const { heldBack, disk, clock } = openHeldBack();
  const open = async (name: string) => {
    await disk.overwrite(name, text, { isHasty: true });
    chmodSync(join(folder, name), 0o644);
    return heldBack.hold(name)!;
  };
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;
  const [released, kept, left, back] = [
    await open("companies/released/_index.md"),
    await open("companies/kept/_index.md"),
    await open("companies/left/_index.md"),
    await open("companies/back/_index.md"),
  ];
  // The new file gets this mode first, and if the file is put back, its mode is restored.
  expect(modeOf(left.name)).toBe(0o644);
  heldBack.release(released);
  heldBack.keep(kept);
  heldBack.putBack(back);
  expect(modeOf(released.name)).toBe(0o600);
  expect(readdirSync(join(folder, "records/kept")).map((name) => modeOf(`records/kept/${name}`))).toEqual([0o600]); // prettier-ignore
  expect(modeOf("companies/back/_index.md")).toBe(0o644);
  await heldBack.review(async () => "nothing");
  expect(modeOf(left.name)).toBe(0o600);
  await clock.advance(5_000);
  await heldBack.review(async () => "nothing");
  expect(stayed()).toEqual([]);
});
