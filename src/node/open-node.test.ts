// inputs: src/node/** src/ledger/** src/base/** src/config/**
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFastClock } from "./testing/fast-clock.ts";
import { lossyPoint } from "./testing/lossy-point.ts";
import { openTestNode, testMeetingPoint } from "./testing/test-node.ts";
import type { NodeHandle } from "./open-node.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-node-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const source = "site:https://a.b";
const write = (node: NodeHandle, target: string, value: unknown) =>
  node.api.ledger.write({ source, changes: [{ target, field: "f", value }] });
const valueOf = async (node: NodeHandle, target: string) =>
  (await node.api.ledger.read(target)).fields.find(({ field }) => field === "f")?.value;

describe("the processes of a data folder", () => {
  test("the first one owns it, the others are its clients; all write and read the same", async () => {
    await using owner = await openTestNode(folder);
    await using client = await openTestNode(folder);
    expect([owner.isOwner(), client.isOwner()]).toEqual([true, false]);
    await write(owner, "company/1", "by the owner");
    await write(client, "company/2", "by the client");
    expect(await valueOf(client, "company/1")).toBe("by the owner");
    expect(await valueOf(owner, "company/2")).toBe("by the client");
    expect(await client.api.ledger.vector()).toEqual(await owner.api.ledger.vector());
    expect(await client.api.ledger.status()).toEqual(await owner.api.ledger.status());
  });

  test("two files are all that it needs, and only their user can read the token", async () => {
    await using owner = await openTestNode(folder);
    expect(owner.isOwner()).toBe(true);
    expect(readdirSync(join(folder, "node")).sort()).toEqual(["owner.db", "owner.json"]);
    expect(statSync(join(folder, "node", "owner.json")).mode & 0o777).toBe(0o600);
    await owner.close();
    expect(readdirSync(join(folder, "node"))).toEqual(["owner.db"]);
  });

  test("a client whose owner ends becomes the owner, or finds the new one", async () => {
    const owner = await openTestNode(folder);
    await using first = await openTestNode(folder);
    await using second = await openTestNode(folder);
    await write(first, "company/1", 1);
    await owner.close();
    await write(first, "company/1", 2);
    await write(second, "company/1", 3);
    expect([first.isOwner(), second.isOwner()].filter(Boolean)).toHaveLength(1);
    expect(await valueOf(first, "company/1")).toBe(3);
  });

  test("a service takes over at once, and runs the services of the node then", async () => {
    const events: string[] = [];
    const owner = await openTestNode(folder, {
      kind: "service",
      onServices: (event) => events.push(`a ${event}`),
    });
    await expect.poll(() => events).toEqual(["a started"]);
    await using next = await openTestNode(folder, {
      kind: "service",
      onServices: (event) => events.push(`b ${event}`),
    });
    expect(next.isOwner()).toBe(false);
    await owner.close();
    await expect.poll(() => events).toEqual(["a started", "a stopped", "b started"]);
    expect(next.isOwner()).toBe(true);
  });

  test("a command runs no services, and a worker never owns", async () => {
    const clock = createFastClock();
    clock.hurry();
    await expect(openTestNode(folder, { kind: "worker", clock })).rejects.toMatchObject({
      code: "node_no_owner",
    });
    const events: string[] = [];
    await using command = await openTestNode(folder, { onServices: (event) => events.push(event) });
    await using worker = await openTestNode(folder, { kind: "worker" });
    await write(worker, "company/1", 1);
    await command.close();
    const late = expect(write(worker, "company/1", 2)).resolves.toBeDefined();
    await using next = await openTestNode(folder);
    await late;
    expect([next.isOwner(), worker.isOwner(), events]).toEqual([true, false, []]);
  });

  test("what is written twice because answers were lost is in the journal once", async () => {
    let owner = await openTestNode(folder);
    const lossy = lossyPoint(testMeetingPoint(folder));
    await using client = await openTestNode(folder, { kind: "worker", point: lossy.point });
    for (let round = 0; round < 5; round++) {
      lossy.loseAnswers();
      const writing = Promise.all(
        [0, 1, 2].map((at) => write(client, `company/${at}`, `round ${round}`)),
      );
      await lossy.lost();
      // Another process changes the value before the write is sent again.
      await write(owner, "company/0", `between ${round}`);
      await owner.close();
      lossy.heal();
      owner = await openTestNode(folder);
      await writing;
    }
    const counts = new Map<string, number>();
    for (const { target, value } of await owner.api.ledger.log({ from: 0, limit: 100_000 })) {
      counts.set(`${target} ${value}`, (counts.get(`${target} ${value}`) ?? 0) + 1);
    }
    expect([...counts.values()].every((count) => count === 1)).toBe(true);
    expect(counts.size).toBe(5 * 3 + 5);
    expect(await valueOf(client, "company/0")).toBe("between 4");
    await owner.close();
  });

  test("values that JSON cannot express are refused before they are sent", async () => {
    await using owner = await openTestNode(folder);
    await using client = await openTestNode(folder);
    for (const value of [Number.NaN, new Date(0), 1n, new Map()]) {
      await expect(write(client, "company/1", value)).rejects.toMatchObject({ kind: "invalid" });
      await expect(write(owner, "company/1", value)).rejects.toMatchObject({ kind: "invalid" });
    }
  });

  test("errors of the owner reach the client with kind, code and message", async () => {
    await using owner = await openTestNode(folder);
    await using client = await openTestNode(folder);
    const wrong = { source: "nonsense", changes: [{ target: "x", field: "f", value: 1 }] };
    const reported = await owner.api.ledger.write(wrong).catch((error: unknown) => error);
    await expect(client.api.ledger.write(wrong)).rejects.toMatchObject({
      kind: (reported as { kind: string }).kind,
      code: (reported as { code: string }).code,
      message: (reported as Error).message,
    });
  });

  test("an owner that does not answer for 30 s is reported, and nobody else becomes owner", async () => {
    const silent = lossyPoint(testMeetingPoint(folder));
    await using owner = await openTestNode(folder);
    const clock = createFastClock();
    await using client = await openTestNode(folder, { point: silent.point, clock });
    silent.loseAnswers();
    const writing = write(client, "company/1", 1);
    const reported = expect(writing).rejects.toMatchObject({ code: "node_owner_silent" });
    await silent.lost();
    clock.hurry();
    await reported;
    expect(owner.isOwner()).toBe(true);
    expect(testMeetingPoint(folder).tryLock()).toBeUndefined();
  });

  test("a process of another version gets an error that says so", async () => {
    await using _owner = await openTestNode(folder, { version: "1" });
    await expect(openTestNode(folder, { version: "2" })).rejects.toMatchObject({
      code: "node_other_version",
    });
  });

  test("files that a killed owner left are recognised", async () => {
    await (await openTestNode(folder)).close();
    const token = "0".repeat(64);
    for (const text of [`{"format":1,"port":1,"token":"${token}","pid":1}`, "{", ""]) {
      writeFileSync(join(folder, "node", "owner.json"), text);
      await using node = await openTestNode(folder);
      expect(node.isOwner()).toBe(true);
      await write(node, "company/1", text);
    }
  });

  test("a process that cannot reach the owner says so, with the owner's pid", async () => {
    await using _owner = await openTestNode(folder);
    const point = { ...testMeetingPoint(folder), connect: async () => undefined };
    const clock = createFastClock();
    clock.hurry();
    await expect(openTestNode(folder, { point, clock })).rejects.toMatchObject({
      kind: "unavailable",
      code: "node_in_use",
      message: expect.stringContaining(String(process.pid)) as string,
    });
  });

  test("streams end with their signal, and continue with the next owner", async () => {
    const owner = await openTestNode(folder);
    await using client = await openTestNode(folder);
    const over = new AbortController();
    let woken = 0;
    const listening = client.api.wake.listen({ onProgress: () => woken++, signal: over.signal });
    const wakesBy = async (node: NodeHandle) => {
      const before = woken;
      await expect.poll(async () => (await node.api.wake.added(), woken)).toBeGreaterThan(before);
    };
    await wakesBy(owner);
    await owner.close();
    await using next = await openTestNode(folder);
    await wakesBy(next);
    over.abort();
    await listening;
  });
});
