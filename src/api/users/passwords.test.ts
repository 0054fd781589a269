import { scrypt, timingSafeEqual } from "node:crypto";
import { expect, test, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { isEqual, hashOf } from "./manage-users.ts";
import { checkPassword } from "./password-rules.ts";
import { createPasswords, passwordCost } from "./passwords.ts";

vi.mock("node:crypto", { spy: true });

const cheap = { N: 2 ** 4, r: 8, p: 1 };
const make = (cost = cheap) => createPasswords({ cost, clock: systemClock, random: systemRandom });

test("passwords are hashed by scrypt at a cost that ASVS accepts, each with its own salt", async () => {
  expect(passwordCost).toEqual({ N: 32_768, r: 8, p: 3 });
  const passwords = createPasswords({ clock: systemClock, random: systemRandom });
  const stored = await passwords.hash("correct horse battery");
  expect(stored).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  expect(await passwords.hash("correct horse battery")).not.toBe(stored);
  const right = await passwords.verify({ password: "correct horse battery", stored });
  expect(right).toEqual({ isRight: true, isOutdated: false });
  const wrong = await passwords.verify({ password: "correct horse batterz", stored });
  expect(wrong.isRight).toBe(false);
});

test("a hash of another cost is right, and called outdated", async () => {
  const stored = await make({ N: 2 ** 5, r: 8, p: 1 }).hash("correct horse battery");
  const answer = await make().verify({ password: "correct horse battery", stored });
  expect(answer).toEqual({ isRight: true, isOutdated: true });
});

test("without a stored password every password is wrong, and so it is with a damaged one", async () => {
  expect((await make().verify({ password: "x", stored: undefined })).isRight).toBe(false);
  const damaged = "scrypt$99999999$8$3$x$y";
  await expect(make().verify({ password: "x", stored: damaged })).rejects.toMatchObject({
    code: "password_corrupt",
  });
});

test("at most two are computed at once and few wait: the others are told to come again", async () => {
  const passwords = make({ N: 2 ** 8, r: 8, p: 1 });
  const stored = undefined;
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, (_, at) =>
      passwords.verify({ password: "x", stored, stranger: { id: `${at}`, sinceMs: at } }),
    ),
  );
  const refused = results.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(60 - 22);
  expect(refused[0]).toMatchObject({ reason: { status: 503, code: "sign_in_busy" } });
  const known = await Promise.allSettled(
    Array.from({ length: 42 }, () => passwords.verify({ password: "x", stored })),
  );
  expect(known.filter(({ status }) => status === "rejected")).toEqual([]);
});

test.each([
  ["short", "at least 12"],
  ["x".repeat(201), "at most 200"],
  ["aaaaaaaaaaaaaa", "few characters"],
  ["annaliese-loves-it", "name of the user"],
  ["passwordpassword", "try first"],
  ["P@ssw0rd!!2026", "try first"],
  ["1q2w3e4r5t6y", "try first"],
])("the password %s is refused", (password, why) => {
  expect(() => checkPassword(password, "annaliese")).toThrow(why);
});

test.each([
  "correct horse battery",
  "tQ9v!kzz81Lm",
  "x7".repeat(3) + "ÄÖÜ geht doch",
  "a long phrase about nothing ".repeat(4),
])("the password %s is taken, without rules of composition", (password) => {
  expect(() => checkPassword(password, "annaliese")).not.toThrow();
});

test("for a name that nobody has, the same work is done as for a wrong password", async () => {
  const passwords = make();
  const stored = await passwords.hash("correct horse battery");
  const workOf = async (kept: string | undefined) => {
    vi.mocked(scrypt).mockClear();
    expect((await passwords.verify({ password: "a wrong guess", stored: kept })).isRight).toBe(
      false,
    );
    return vi.mocked(scrypt).mock.calls.map((call) => [call[0], call[2], { ...(call[3] as object) }]); // prettier-ignore
  };
  const known = await workOf(stored);
  expect(known).toHaveLength(1);
  expect(await workOf(undefined)).toEqual(known);
});

test("a password of 12 to 200 characters of any sort is taken, and one that guessers try first is not", () => {
  const refused = (password: string, user = "anna") => {
    try {
      checkPassword(password, user);
      return false;
    } catch {
      return true;
    }
  };
  // Digits, capitals or symbols are not required; spaces and other scripts are allowed.
  for (const good of [
    "alllowercaseletters",
    "eight words and some spaces",
    "пароль из многих слов",
    "qzwmvkrt plfo",
    "long ".repeat(30) + "enough",
  ]) {
    // prettier-ignore
    expect([good, refused(good)]).toEqual([good, false]);
  }
  for (const bad of [
    "short",
    "elevenchars",
    "password1234",
    "P@ssw0rd2026!",
    "qwertyuiop12",
    "aaaaaaaaaaaaaaaa",
    "annaannaanna",
    "y".repeat(201),
  ]) {
    // prettier-ignore
    expect([bad, refused(bad)]).toEqual([bad, true]);
  }
});

test("secrets are compared in constant time", async () => {
  const count = vi.mocked(timingSafeEqual).mock.calls.length;
  expect(isEqual(hashOf("a"), hashOf("a"))).toBe(true);
  expect(isEqual(hashOf("a"), hashOf("b"))).toBe(false);
  await make().verify({ password: "x", stored: await make().hash("correct horse battery") });
  expect(vi.mocked(timingSafeEqual).mock.calls.length - count).toBe(3);
});
