import fc from "fast-check";
import { expect, test } from "vitest";
import { redactText, redactUrl } from "./redact.ts";

test.each([
  ["no address at all, user:password@host", "no address at all, user:password@host"],
  ["at postgres://ann:hunter2@db/x?sslmode=require!", "at postgres://ann:***@db/x?sslmode=require!"],
  ["postgres://ann@db/x", "postgres://ann@db/x"],
  ["(https://ann:hunter2@a.example/p)", "(https://***@a.example/p)"],
  ["https://ghp_token@a.example/p?q=1", "https://***@a.example/p?q=1"],
  ["https://a:p@ss@a.example/", "https://***@a.example/"],
  ["https://a.example/?token=abc&page=2&apiKey=def#x", "https://a.example/?token=***&page=2&apiKey=***#x"],
  ["https://b/?X-Amz-Signature=0a&X-Amz-Date=1", "https://b/?X-Amz-Signature=***&X-Amz-Date=1"],
  ["https://a.example/?keyword=roof&author=ann&design=1", "https://a.example/?keyword=roof&author=ann&design=1"],
  ["https://a.example/@user/page", "https://a.example/@user/page"],
  ['{"url":"https://x:y@a.example/?sig=1"}', '{"url":"https://***@a.example/?sig=***"}'],
])("%s", (text, shown) => {
  expect(redactText(text)).toBe(shown);
}); // prettier-ignore

test("a URL that is a setting shows no value that is not known to be harmless", () => {
  const harmless = new Set(["region", "endpoint"]);
  const shown = (url: string) => redactUrl(url, harmless);
  expect(shown("s3://b/p?region=eu&x=secret&flag")).toBe("s3://b/p?region=eu&x=***&flag");
  expect(shown("s3://b?endpoint=http://k:s@h/")).toBe("s3://b?endpoint=http://***@h/");
  expect(shown("https://u:p@h/#fragment")).toBe("https://***@h/");
});

test("whatever the password and the token, they are not shown, and it takes no time", () => {
  const secret = fc.string({ unit: fc.constantFrom(..."ab1:%+. ".split("")) }).map((middle) => {
    return encodeURIComponent(`S3CRET${middle}S3CRET`);
  });
  fc.assert(
    fc.property(secret, fc.constantFrom("https", "postgres"), (text, scheme) => {
      const shown = redactText(`x ${scheme}://u:${text}@h/p?token=${text}&n=1 y`);
      expect(shown).not.toContain("S3CRET");
      expect(shown).toMatch(/@h\/p\?token=\*\*\*&n=1 y$/);
    }),
  );
  const long = `https://${"a@".repeat(100_000)} ${"://".repeat(100_000)}`;
  const started = process.cpuUsage();
  redactText(long);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
