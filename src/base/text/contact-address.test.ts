import { expect, test } from "vitest";
import { isContactAddress } from "./contact-address.ts";

test("a contact is a mailbox or a page, and can be sent in a header", () => {
  const good = [
    "you@example.org",
    "a+b@x.co.uk",
    "https://example.org/bot?x=1",
    "http://127.0.0.1/",
  ];
  const bad = [
    ..."foo|a@b|a@b@c.org|@b.org|a@.org|a@b.|a b@c.org|you@exämple.org|https://|https:///x".split(
      "|",
    ),
    ..."ftp://a.org|https://a.org/(x)|https://ann:hunter2@a.org/|<a@b.org>|https://a.org/\r\nX: y|".split(
      "|",
    ),
  ];
  expect(good.filter((one) => !isContactAddress(one))).toEqual([]);
  expect(bad.filter(isContactAddress)).toEqual([]);
});
