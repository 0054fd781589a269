import { describe, expect, test } from "vitest";
import type { RaiseInput } from "../queue/index.ts";
import { createKnownPages } from "./known-pages.ts";
import { pageTask, type PageToVisit } from "./page-tasks.ts";

const plan = { name: "site" };
const page = (path: string, depth: number): PageToVisit => ({
  url: `http://a.example${path}`,
  depth,
  hops: 0,
  isStart: false,
});

function setUp() {
  const raised: RaiseInput[] = [];
  const raise = async (input: RaiseInput) => void raised.push(input);
  const pages = createKnownPages({ plan, raise });
  return { pages, raised, priorities: () => raised.map(({ priority }) => priority) };
}

describe("the pages of a crawl that are stored", () => {
  test("a link to any other page asks for its task", async () => {
    const { pages, raised } = setUp();
    expect(await pages.link(page("/a", 1))).toBe(false);
    expect(await pages.link(page("/a", 1))).toBe(false);
    expect(raised).toEqual([]);
  });

  test("each further link raises the task of a stored page, a nearer one most", async () => {
    const { pages, raised, priorities } = setUp();
    const task = pageTask(plan, page("/a", 3));
    pages.stored([task]);
    for (const depth of [3, 7, 2]) expect(await pages.link(page("/a", depth))).toBe(true);
    const { job, gate, key } = task;
    expect(raised[0]).toEqual({ job, gate, key, priority: task.priority! + 1 });
    expect(priorities()).toEqual([761, 762, 773]);
  });

  test("many links never bring a page before a nearer one, nor before the start", async () => {
    const { pages, priorities } = setUp();
    pages.stored([pageTask(plan, page("/a", 2))]);
    for (let link = 0; link < 100; link++) await pages.link(page("/a", 2));
    const nearer = pageTask(plan, page("/b", 1)).priority!;
    const start = pageTask(plan, { ...page("/", 0), isStart: true }).priority!;
    expect(Math.max(...priorities())).toBeLessThan(nearer);
    expect(nearer).toBeLessThan(start);
  });

  test("a page that was visited is neither added nor raised", async () => {
    const { pages, raised } = setUp();
    pages.visiting("http://a.example/a");
    pages.stored([pageTask(plan, page("/a", 1))]);
    expect(await pages.link(page("/a", 1))).toBe(true);
    expect(raised).toEqual([]);
  });
});
