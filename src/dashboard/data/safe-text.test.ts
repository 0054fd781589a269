import { expect, test } from "vitest";
import { safeHref, websiteHref } from "./safe-text.ts";

test.each([
  ["javascript:alert(1)", undefined],
  ["JaVaScRiPt:alert(1)", undefined],
  [" javascript:alert(1)", undefined],
  ["java\nscript:alert(1)", undefined],
  ["data:text/html,<script>", undefined],
  ["vbscript:x", undefined],
  ["file:///etc/passwd", undefined],
  ["blob:https://a.example/x", undefined],
  ["https://a.example/x", "https://a.example/x"],
  ["mailto:a@b.example", "mailto:a@b.example"],
  ["tel:+4912345", "tel:+4912345"],
])("a link of data from the web: %j gives %j", (address, href) => {
  expect(safeHref(address)).toBe(href);
  // A website may be written without a scheme; a scheme that runs code is rejected.
  if (href === undefined) expect(websiteHref(address) ?? "https:").toMatch(/^https:/);
});
