import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf } from "../base/testing/cpu-time.ts";
import { needsScripts } from "./needs-scripts.ts";

const words =
  "We lay floors of oak and ash in all the county, and have done so since 1962. ".repeat(5);

describe("which pages need their scripts", () => {
  test.each([
    [
      '<!doctype html><html><head><script src="/a.js"></script></head><body><div id="root"></div></body></html>',
      true,
    ],
    [
      "<body><noscript>You need to enable JavaScript to run this app, please do so. ".concat(
        words,
        '</noscript><div id="app"></div><script type="module" src="/m.js"></script></body>',
      ),
      true,
    ],
    [`<body><script>window.data = "${words}"</script><div id="__next"></div></body>`, true],
    [`<head><script src="/a.js"></script></head><body><p>${words}</p></body>`, false],
    ["<body><p>Closed.</p></body>", false],
    ["", false],
    [`<script>${words}`, true],
    ["<!-- <script></script> -->", false],
  ])("%#", (html, expected) => expect(needsScripts(html)).toBe(expected));

  test("in no more than linear time, whatever the text", () => {
    for (const piece of ["<", "<script", "<!--", "<head", "</", "<svg "]) {
      expect(cpuMsOf(() => needsScripts(piece.repeat(200_000)))).toBeLessThan(1_000);
    }
    fc.assert(fc.property(fc.string(), (text) => typeof needsScripts(text) === "boolean"));
  });
});
