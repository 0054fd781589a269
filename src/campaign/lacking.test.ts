import { expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { done } from "../worker/index.ts";
import { releaseIfLacking } from "./lacking.ts";

const failing = (code: string) => () =>
  Promise.reject(new AppError("invalid", code, `what ${code} says`));

test.each(["no_campaign", "places_file", "places_not_imported"])(
  "%s is what this node lacks: the task goes back",
  async (code) => {
    const outcome = await releaseIfLacking(failing(code));
    expect(outcome).toEqual({ kind: "release", reason: `what ${code} says` });
  },
);

test("any other error is the task's own", async () => {
  await expect(releaseIfLacking(failing("campaign_config"))).rejects.toThrow("campaign_config");
  expect(await releaseIfLacking(async () => done(1))).toEqual(done(1));
});
