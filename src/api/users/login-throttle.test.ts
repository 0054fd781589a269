import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createKnownBrowsers } from "./known-browsers.ts";
import { createLoginThrottle, type LoginAttempt } from "./login-throttle.ts";

function setup() {
  const clock = createTestClock();
  const throttle = createLoginThrottle({ clock });
  /** Returns how long the attempt had to wait, and the result. */
  const admit = async (attempt: LoginAttempt) => {
    const startMs = clock.monotonicMs();
    let answer: number | "busy" | undefined;
    void throttle.admit(attempt).then((waitMs) => (answer = waitMs));
    for (;;) {
      await clock.advance(0);
      if (answer !== undefined) return { waitMs: answer, heldMs: clock.monotonicMs() - startMs };
      await clock.advance(50);
    }
  };
  /** Wrong guesses for anna's account, each from a different address. */
  let guesses = 0;
  let admitted = 0;
  const flood = async (count: number, perSecond: number) => {
    for (let sent = 0; sent < count; sent += perSecond / 10) {
      for (let at = 0; at < perSecond / 10; at++) {
        guesses += 1;
        const address = `10.${guesses >> 16}.${(guesses >> 8) & 255}.${guesses & 255}`;
        void throttle.admit({ user: "anna", address }).then((waitMs) => (admitted += waitMs === 0 ? 1 : 0)); // prettier-ignore
      }
      await clock.advance(100);
    }
  };
  return { clock, throttle, admit, flood, admitted: () => admitted };
}

test("an address that fails for an account waits longer each time, at most 15 minutes", async () => {
  const { throttle, clock } = setup();
  const attempt = { user: "anna", address: "10.0.0.9" };
  for (let count = 0; count < 5; count++) expect(await throttle.admit(attempt)).toBe(0);
  expect(await throttle.admit(attempt)).toBe(1_000);
  let longest = 0;
  for (let count = 0; count < 20; count++) {
    const waitMs = Number(await throttle.admit(attempt));
    longest = Math.max(longest, waitMs);
    await clock.advance(waitMs);
    expect(await throttle.admit(attempt)).toBe(0);
  }
  expect(longest).toBe(900_000);
});

test("a success forgets the failures of the person, and other accounts do not reset it", async () => {
  const { throttle } = setup();
  const attempt = { user: "anna", address: "10.0.0.9" };
  for (let count = 0; count < 5; count++) await throttle.admit(attempt);
  throttle.succeeded({ user: "bob", address: "10.0.0.9" });
  expect(await throttle.admit(attempt)).toBeGreaterThan(0);
  throttle.succeeded(attempt);
  expect(await throttle.admit(attempt)).toBe(0);
});

test("10,000 guesses from new addresses are few attempts, and then a new address gets in within three seconds", async () => {
  const { admit, flood, admitted } = setup();
  await flood(10_000, 100);
  // A hundred at first, then four a second for a hundred seconds.
  expect(admitted()).toBeLessThan(520);
  const { waitMs, heldMs } = await admit({ user: "anna", address: "198.51.100.1" });
  expect(waitMs).toBe(0);
  expect(heldMs).toBeLessThan(3_000);
});

test("while 300 guesses a second come from ever new addresses, a new address that keeps trying is next", async () => {
  const { throttle, flood } = setup();
  await flood(3_000, 300);
  for (const address of ["198.51.100.1", "198.51.100.2", "198.51.100.3"]) {
    let tries = 0;
    for (let isIn = false; !isIn && tries < 20; tries++) {
      let answer: number | "busy" | undefined;
      void throttle.admit({ user: "anna", address }).then((ms) => (answer = ms));
      do await flood(300, 300);
      while (answer === undefined);
      isIn = answer === 0;
    }
    expect(tries).toBeLessThanOrEqual(3);
    throttle.tried({ user: "anna", address });
  }
});

test("while many addresses keep guessing, a new one waits one turn of each", async () => {
  const { throttle, clock, flood } = setup();
  await flood(1_000, 100);
  const asks = async (address: string, until: () => boolean) => {
    while (!until()) {
      const waitMs = await throttle.admit({ user: "anna", address });
      if (waitMs === 0) throttle.tried({ user: "anna", address });
      const restMs = waitMs === "busy" ? 900 : Math.max(waitMs, 900);
      await new Promise<void>((resolve) => void clock.setTimer(restMs, resolve));
    }
  };
  let isIn = false;
  const attackers = Array.from({ length: 40 }, (_, at) => asks(`10.9.0.${at}`, () => isIn));
  await clock.advance(5_000);
  const startMs = clock.monotonicMs();
  const person = async () => {
    while ((await throttle.admit({ user: "anna", address: "198.51.100.1" })) !== 0) {
      await new Promise<void>((resolve) => void clock.setTimer(1_000, resolve));
    }
    isIn = true;
  };
  const done = person();
  while (!isIn && clock.monotonicMs() - startMs < 60_000) await clock.advance(50);
  // 40 addresses at four a second, plus the time until the next attempt.
  expect(clock.monotonicMs() - startMs).toBeLessThan(40 * 250 + 3_000);
  isIn = true;
  await clock.advance(900_000);
  await Promise.all([done, ...attackers]);
});

test("the user at a known address or in a known browser does not wait for others", async () => {
  const { throttle, flood } = setup();
  const home = { user: "anna", address: "192.0.2.7" };
  await throttle.admit(home);
  throttle.succeeded(home);
  await flood(5_000, 1_000);
  expect(await throttle.admit(home)).toBe(0);
  const browsers = createKnownBrowsers("secret", createSeededRandom(1));
  const browser = browsers.idOf("anna", browsers.issue("anna"));
  const elsewhere = { user: "anna", address: "10.0.0.1", browser };
  expect(await throttle.admit(elsewhere)).toBe(0);
  // The browser's own failures count, so a stolen cookie does not help to guess.
  for (let count = 0; count < 4; count++) await throttle.admit(elsewhere);
  expect(await throttle.admit(elsewhere)).toBeGreaterThan(0);
});

test("the cookie of a browser cannot be made up, and is of no use for another user", () => {
  const browsers = createKnownBrowsers("secret", createSeededRandom(1));
  const cookie = browsers.issue("anna");
  expect(browsers.idOf("anna", cookie)).toMatch(/^browser:\w{20}$/);
  expect(createKnownBrowsers("secret", createSeededRandom(2)).idOf("anna", cookie)).toBe(browsers.idOf("anna", cookie)); // prettier-ignore
  const swapped = `${browsers.issue("bob").slice(0, 20)}${cookie.slice(20)}`;
  for (const wrong of [undefined, "", "x", swapped, `${cookie}x`, cookie.replace(".", " ")]) {
    expect(browsers.idOf("anna", wrong)).toBeUndefined();
  }
  expect(browsers.idOf("bob", cookie)).toBeUndefined();
  expect(createKnownBrowsers("other", createSeededRandom(2)).idOf("anna", cookie)).toBeUndefined();
});

test("one address that tries many accounts is slowed too, and a network of version 6 is one", async () => {
  const { throttle } = setup();
  let admitted = 0;
  for (let count = 0; count < 1_000; count++) {
    const address = `2001:db8:1:2::${count.toString(16)}`;
    if ((await throttle.admit({ user: `user-${count}`, address })) === 0) admitted += 1;
  }
  expect(admitted).toBe(30);
  expect(await throttle.admit({ user: "user-1", address: "2001:db8:1:3::1" })).toBe(0);
});

test("accounts that do not exist are treated the same: it knows no accounts", async () => {
  const { throttle } = setup();
  const waitsOf = async (user: string, address: string) => {
    const waits: unknown[] = [];
    for (let at = 0; at < 8; at++) waits.push(await throttle.admit({ user, address }));
    return waits;
  };
  expect(await waitsOf("anna", "10.0.0.1")).toEqual(await waitsOf("nobody-of-this", "10.0.0.2"));
});
