// inputs: **/*.md LICENSE docs/** src/**
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { headingAnchors, localLinks, localTargets } from "../support/markdown.ts";
import { readPages } from "../support/pages.ts";
import { repositoryRoot } from "../support/repository.ts";

const pages = readPages();

/** A page that outgrows its limit is not read: move part of it, or say less. */
const linesMax: readonly (readonly [RegExp, number])[] = [
  [/^README\.md$/, 120],
  [/^CONTRIBUTING\.md$/, 100],
  [/^docs\/architecture\.md$/, 300],
  [/^docs\/adr\/.+\.md$/, 60],
];

describe("pages", () => {
  test.each(linesMax)("%s stays within %i lines", (pattern, max) => {
    const found = pages.filter(({ path }) => pattern.test(path));
    expect(found.length).toBeGreaterThan(0);
    const tooLong = found.filter(({ text }) => text.split("\n").length - 1 > max);
    expect(tooLong.map(({ path }) => path)).toEqual([]);
  });

  test("links lead to files that are there", () => {
    const broken = pages.flatMap(({ path, text }) =>
      localLinks(text)
        .filter((target) => !existsSync(join(repositoryRoot, dirname(path), target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("links to a heading lead to one that is there", () => {
    const textOf = new Map(pages.map(({ path, text }) => [path, text]));
    const broken = pages.flatMap(({ path, text }) =>
      localTargets(text).flatMap(({ file, anchor }) => {
        const target = textOf.get(file === "" ? path : join(dirname(path), file));
        if (anchor === undefined || target === undefined) return [];
        return headingAnchors(target).has(anchor) ? [] : [`${path} → ${file}#${anchor}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  test("each decision has a number of its own, without gaps", () => {
    const numbers = pages.flatMap(({ path }) => /^docs\/adr\/(\d{4})-/.exec(path)?.[1] ?? []);
    expect(numbers.map(Number)).toEqual(numbers.map((_, at) => at + 1));
  });
});
