import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { oddKeys } from "../../testing/clauses/object-clauses.ts";
import { keyOfPath, objectPath } from "./object-path.ts";

const part = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 300 })
  .filter((text) => text !== "." && text !== ".." && !text.includes("/"));
const key = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const back = (path: string) => keyOfPath(path.split("/"));

describe("the path of an object", () => {
  test("plain keys are their own paths", () => {
    expect(objectPath("/r", "records/company/a-1.md")).toBe("/r/records/company/a-1.md");
  });

  test("every key comes back from its path, and no two share one", () => {
    fc.assert(fc.property(key, (text) => back(objectPath("", text)) === text));
    const paths = oddKeys.map((odd) => objectPath("", odd).toLowerCase().normalize("NFC"));
    expect(new Set(paths).size).toBe(oddKeys.length);
  });

  test("no name is hidden, reserved, too long, or leads out", () => {
    fc.assert(
      fc.property(key, (text) => {
        for (const name of objectPath("", text).split("/")) {
          expect(name).toMatch(/^[a-z0-9_=@+,~%-][a-zA-F0-9._=@+,~%-]*$/);
          expect(name.length).toBeLessThanOrEqual(201);
          expect(name).not.toMatch(/^(con|nul|aux|prn|com\d|lpt\d)(\.|$)/);
        }
      }),
    );
    expect(objectPath("", "nul.txt")).toBe("%6Eul.txt");
    expect(objectPath("", ".forager")).toBe("%2Eforager");
  });

  test("what others put there is not an object", () => {
    for (const name of ["README.md", ".DS_Store", "a%", "a%zz", "%41", "a b", "x%2fy"]) {
      expect(back(name), name).toBe(name === "%41" ? "A" : undefined);
    }
  });
});
