import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createSecret, isSecret } from "./secret.ts";

const value = "hunter2";

test("only reveal gives the value", async () => {
  const secret = createSecret(async () => value);
  const holder = { nested: { secret } };
  expect(await secret.reveal()).toBe(value);
  const shown = [
    String(secret),
    JSON.stringify(holder),
    inspect(holder, { depth: 9, showHidden: true, getters: true }),
    inspect({ ...secret }),
    Object.keys(secret).join(),
  ].join("\n");
  expect(shown).not.toContain(value);
  expect(JSON.stringify(holder)).toBe('{"nested":{"secret":"***"}}');
  expect(String(secret)).toBe("***");
  expect(inspect(holder)).toBe("{ nested: { secret: *** } }");
});

test("it is read when first revealed, once, also by several at a time", async () => {
  let reads = 0;
  const secret = createSecret(async () => {
    reads++;
    return value;
  });
  expect(reads).toBe(0);
  expect(await Promise.all([secret.reveal(), secret.reveal()])).toEqual([value, value]);
  await secret.reveal();
  expect(reads).toBe(1);
});

test("a failed read is tried again by the next reveal", async () => {
  let reads = 0;
  const secret = createSecret(async () => {
    if (reads++ === 0) throw new Error("locked");
    return value;
  });
  await expect(secret.reveal()).rejects.toThrow("locked");
  expect(await secret.reveal()).toBe(value);
});

test("a look-alike is not a secret", () => {
  expect(isSecret(createSecret(async () => value))).toBe(true);
  for (const other of [value, undefined, null, { reveal: async () => value }]) {
    expect(isSecret(other)).toBe(false);
  }
});
