// process: own
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf } from "../../base/testing/cpu-time.ts";
import { labelOf } from "../email/mailto.ts";
import { rankEmail } from "../email/rank-email.ts";
import { createNameCollector } from "../page/name-collector.ts";
import { createOfferCollector } from "../page/offer-collector.ts";
import type { PageLine } from "../page/page-events.ts";
import { marks } from "./marks.ts";
import { trimChars } from "./trim-chars.ts";

test("removes what the patterns of the whole run would", () => {
  const text = fc.string({ unit: fc.constantFrom(" ", "\u00a0", ":", ".", "-", "a", "é", "😀") });
  fc.assert(
    fc.property(text, (one) => {
      const ends = { start: /[\s-]/, end: /[\s:.]/ };
      expect(trimChars(one, ends)).toBe(one.replace(/^[\s-]+|[\s:.]+$/g, ""));
      expect(trimChars(one, { end: /[:.]/ })).toBe(one.replace(/[:.]+$/, ""));
      expect(trimChars(one, { start: /[:.]/ })).toBe(one.replace(/^[:.]+/, ""));
    }),
  );
});

describe("a long run in the middle of 200,000 characters costs nothing:", () => {
  const long = 200_000;
  const line = (text: string, more: Partial<PageLine> = {}): PageLine => ({
    text,
    marks: marks.cue,
    where: "body",
    block: "li",
    heading: 0,
    seams: [],
    isLink: false,
    isBold: false,
    isReversed: false,
    ...more,
  });

  test.each([":", ". ", "(", "- "])("the label of an address, %j", (run) => {
    const text = `Sales${run.repeat(long / run.length)}x`;
    expect(cpuMsOf(() => expect(labelOf(text)).toBe(undefined))).toBeLessThan(100);
  });

  test.each(["1", "+"])("the local part of an address, %j", (run) => {
    const local = `info${run.repeat(long)}\nx`;
    const domain = { domain: "x.de", registered: "x.de" };
    const address = { value: `${local}@x.de`, local, ...domain, isCredit: false };
    const rank = () => rankEmail(address, { site: "x.de", weight: 1 });
    expect(cpuMsOf(rank)).toBeLessThan(100);
  });

  test("the owner in a line of copyright", () => {
    const collector = createNameCollector();
    const text = `copyright 2026 Oak${". ".repeat(30)}Floors`.padEnd(200, ".");
    const read = () => {
      for (let lines = 0; lines < long / 200; lines++) collector.line?.(line(text));
    };
    expect(cpuMsOf(read)).toBeLessThan(100);
  });

  test.each([":", ". "])("an item of a list of services, %j", (run) => {
    const collector = createOfferCollector();
    collector.line?.(line("Services", { block: "h2", heading: 2 }));
    const text = `Oak floors${run.repeat(long / run.length)}x`;
    const cpuMs = cpuMsOf(() => {
      collector.line?.(line(text));
      collector.line?.(line("Stairs:"));
    });
    expect(cpuMs).toBeLessThan(100);
    expect(collector.finish([]).services).toContain("Stairs");
  });
});
