import { expect, test } from "vitest";
import { AppError, assert } from "./app-error.ts";

test("an AppError keeps kind, code, message and cause", () => {
  const cause = new Error("connect ECONNREFUSED");
  const error = new AppError("unavailable", "bucket_down", "the bucket does not answer", { cause });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: "AppError",
    kind: "unavailable",
    code: "bucket_down",
    cause,
  });
  expect(String(error)).toBe("AppError: the bucket does not answer");
});

test("a failed assertion is an internal error, one that holds says nothing", () => {
  expect(() => assert("held", "a lease has a state")).not.toThrow();
  expect(() => assert(undefined, "a lease has an end")).toThrow(
    expect.objectContaining({ kind: "internal", message: "bug: a lease has an end" }),
  );
});
