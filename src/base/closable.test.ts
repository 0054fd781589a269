import { expect, test } from "vitest";
import { closable } from "./closable.ts";

test("close and await using are one closing, which runs once", async () => {
  let closings = 0;
  let finish = () => {};
  const opened = closable(() => {
    closings += 1;
    return new Promise((resolve) => (finish = resolve));
  });
  const all = [opened.close(), opened[Symbol.asyncDispose](), opened.close()];
  let isClosed = false;
  const closed = Promise.all(all).then(() => (isClosed = true));
  await Promise.resolve();
  expect([closings, isClosed]).toEqual([1, false]);
  finish();
  await closed;
  await opened.close();
  expect(closings).toBe(1);
});

test("a closing that failed has failed for all who wait for it", async () => {
  const opened = closable(async () => {
    throw new Error("the disk is gone");
  });
  await expect(opened.close()).rejects.toThrow("the disk is gone");
  await expect(opened[Symbol.asyncDispose]()).rejects.toThrow("the disk is gone");
});
