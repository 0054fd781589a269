import fc from "fast-check";
import { expect, test } from "vitest";
import { splitUrl } from "./url.ts";

test.each(["sqlite:queue.db", "dir:a@b:c/d", "s3://bucket/prefix", "postgres://ann@host:5432/db"])(
  "%s holds no password and stays as it is",
  (url) => expect(splitUrl(url)).toEqual({ kind: "ok", url, display: url }),
);

test("a password is taken out and decoded, and the display hides the credentials", () => {
  expect(splitUrl("postgres://ann:p%40%2Fss:x@host/db?ssl=true")).toEqual({
    kind: "ok",
    url: "postgres://ann@host/db?ssl=true",
    display: "postgres://***@host/db?ssl=***",
    password: "p@/ss:x",
  });
  expect(splitUrl("postgres://ann:@host/db")).toMatchObject({ url: "postgres://ann@host/db" });
});

test("what a query says is shown only where it is known to be harmless", () => {
  const url = "s3://fleet/p?region=eu&endpoint=http://h:9&other=hunter2";
  expect(splitUrl(url)).toMatchObject({
    url,
    display: "s3://fleet/p?region=eu&endpoint=http://h:9&other=***",
  });
});

test.each([
  ["mysql://host/db", "must be an address that starts with sqlite:"],
  ["queue.db", "must be an address that starts with sqlite:"],
  ["sqlite:", "must be an address that starts with sqlite:"],
  ["postgres:ann:hunter2@host", "must be an address that starts with sqlite:"],
  ["postgres://ann:hunter2/x@host", "must be a URL"],
  ["postgres://ann:12/hunter2@host/db", "must write @ as %40"],
  ["postgres://host/db?password=hunter2", "must not hold a secret in its query"],
  ["s3://bucket/x?accessKey=hunter2", "must not hold a secret in its query"],
  ["s3://b?endpoint=http://ann:hunter2%40host", "must not hold credentials inside of its query"],
  ["postgres://ann:hunter2%@host/db", "has a password with a bad % escape"],
])("%s is refused without being repeated", (written, text) => {
  const split = splitUrl(written);
  expect(split).toEqual({ kind: "wrong", text: expect.stringContaining(text) as string });
  expect(JSON.stringify(split)).not.toContain("hunter2");
});

test("whatever the password, it is found whole or refused, and never left in what is shown", () => {
  const secret = fc
    .string({ unit: fc.constantFrom(..."ab1@:/?#%&=. ".split("")) })
    .map((middle) => `S3CRET${middle}S3CRET`);
  const escaped = fc.tuple(secret, fc.boolean());
  fc.assert(
    fc.property(escaped, ([password, isEscaped]) => {
      const written = isEscaped ? encodeURIComponent(password) : password;
      const split = splitUrl(`postgres://ann:${written}@host/db`);
      if (isEscaped) expect(split).toMatchObject({ kind: "ok", password });
      if (split.kind === "ok") expect(split.url + split.display).not.toContain("S3CRET");
      else expect(split.text).not.toContain("S3CRET");
    }),
    { numRuns: 1000 },
  );
});
