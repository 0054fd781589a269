import { expect, test } from "vitest";
import { createLoginThrottle } from "./login-throttle.ts";

function setup() {
  let nowMs = 0;
  const throttle = createLoginThrottle({ monotonicMs: () => nowMs });
  return { throttle, pass: (ms: number) => (nowMs += ms) };
}

test("an address that fails for an account waits longer each time, at most 15 minutes", () => {
  const { throttle, pass } = setup();
  const attempt = { user: "anna", address: "10.0.0.9" };
  for (let count = 0; count < 5; count++) expect(throttle.begin(attempt)).toBe(0);
  expect(throttle.begin(attempt)).toBe(1_000);
  let longest = 0;
  for (let count = 0; count < 20; count++) {
    const waitMs = throttle.begin(attempt);
    longest = Math.max(longest, waitMs);
    pass(waitMs);
    expect(throttle.begin(attempt)).toBe(0);
  }
  expect(longest).toBe(900_000);
});

test("a success forgets the failures of the person, and other accounts do not reset it", () => {
  const { throttle } = setup();
  const attempt = { user: "anna", address: "10.0.0.9" };
  for (let count = 0; count < 5; count++) throttle.begin(attempt);
  throttle.succeeded({ user: "bob", address: "10.0.0.9" });
  expect(throttle.begin(attempt)).toBeGreaterThan(0);
  throttle.succeeded(attempt);
  expect(throttle.begin(attempt)).toBe(0);
});

test("guessing from many addresses slows new ones down, never the user at a known one", () => {
  const { throttle, pass } = setup();
  const home = { user: "anna", address: "192.0.2.7" };
  expect(throttle.begin(home)).toBe(0);
  throttle.succeeded(home);
  let admitted = 0;
  for (let count = 0; count < 10_000; count++) {
    const address = `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`;
    if (throttle.begin({ user: "anna", address }) === 0) admitted += 1;
    pass(10);
  }
  // A hundred at first, then one at most every 30 seconds for a hundred seconds.
  expect(admitted).toBeLessThan(115);
  expect(throttle.begin(home)).toBe(0);
  expect(throttle.begin({ user: "anna", address: "198.51.100.1" })).toBeLessThanOrEqual(30_000);
});

test("one address that tries many accounts is slowed too, and a network of version 6 is one", () => {
  const { throttle } = setup();
  let admitted = 0;
  for (let count = 0; count < 1_000; count++) {
    const address = `2001:db8:1:2::${count.toString(16)}`;
    if (throttle.begin({ user: `user-${count}`, address }) === 0) admitted += 1;
  }
  expect(admitted).toBe(30);
  expect(throttle.begin({ user: "user-1", address: "2001:db8:1:3::1" })).toBe(0);
});

test("accounts that do not exist are treated the same: it knows no accounts", () => {
  const { throttle } = setup();
  const waits = ["anna", "nobody-of-this-name"].map((user, index) => {
    const attempt = { user, address: `10.0.0.${index}` };
    return Array.from({ length: 8 }, () => throttle.begin(attempt));
  });
  expect(waits[0]).toEqual(waits[1]);
});
