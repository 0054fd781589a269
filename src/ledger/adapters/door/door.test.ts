// inputs: src/ledger/** src/base/** src/config/** src/bucket/**
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import type { Ledger } from "../../ledger.ts";
import { valuesOf } from "../../testing/test-ledger.ts";
import { openTestSharedLedger, testStand } from "../../testing/test-shared-ledger.ts";
import { tryLockFolder } from "../file/folder-lock.ts";
import { readDoorFile, writeDoorFile } from "./door-file.ts";
import { knock } from "./door-guest.ts";
import { createFrameReader, encodeFrame } from "./frames.ts";

let folder = "";
let doorFile = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-door-"));
  doorFile = join(folder, "ledger", "door.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [clock, random] = [systemClock, systemRandom];
const open = () => openTestSharedLedger(folder);
const source = "hand:anna";
const set = (ledger: Ledger, field: string, value: unknown) =>
  ledger.write({ source, changes: [{ target: "company/a", field, value }] });
const isHolder = (ledger: Ledger) => {
  try {
    return ledger.log().length >= 0;
  } catch {
    return false;
  }
};

describe("a ledger that several have open", () => {
  test("all write, all read, and all are one node with one session", async () => {
    await using first = await open();
    await using second = await open();
    await using third = await open();
    expect([first, second, third].map(isHolder)).toEqual([true, false, false]);
    const written = await Promise.all([
      set(first, "one", 1),
      set(second, "two", { b: [2, "ü\u2028"] }),
      set(third, "three", "3"),
    ]);
    const values = { one: 1, two: { b: [2, "ü\u2028"] }, three: "3" };
    for (const ledger of [first, second, third]) {
      expect(await valuesOf(ledger, "company/a")).toEqual(values);
      expect(await ledger.readAll(["company/a"])).toEqual([await ledger.read("company/a")]);
      expect(ledger.node()).toBe(first.node());
    }
    const sessions = written.flatMap(({ datagrams }) => datagrams.map(({ session }) => session));
    expect(new Set(sessions).size).toBe(1);
    expect(first.status().datagramsSinceCheckpoint).toBe(3);
  });

  test("what one was told is written is in its own vector and status at once", async () => {
    await using first = await open();
    await using second = await open();
    const { datagrams } = await set(second, "f", 1);
    const { node, session, stamp } = datagrams[0]!;
    expect(second.vector().get(`${node}/${session}`)).toBe(1);
    expect(second.status().highWater >= stamp).toBe(true);
    await set(first, "g", 2);
    await expect.poll(() => second.vector().get(`${node}/${session}`)).toBe(2);
    expect(second.status().datagramsSinceCheckpoint).toBe(2);
  });

  test("everything else that changes facts goes through the door", async () => {
    await using first = await open();
    await using second = await open();
    await set(second, "domain", "a.test");
    expect(await second.digest()).toBe(await first.digest());
    expect(await second.conflicts()).toEqual([]);
    expect(second.quarantine()).toEqual([]);
    expect(await second.forget({ target: "company/a", source })).toBe(1);
    expect(await second.isForgotten("domain:a.test")).toBe(true);
    expect(await second.unscrubbed()).toBe(0);
    expect((await second.read("company/a")).isForgotten).toBe(true);
    expect((await second.unforget({ target: "company/a", source })).datagrams).not.toEqual([]);
    await expect(second.restamp("a/b/1")).rejects.toMatchObject({
      code: "ledger_unknown_datagram",
    });
    await expect(
      second.restore({ target: "company/a", dot: "a/b/1", source }),
    ).rejects.toMatchObject({ kind: "invalid", code: "ledger_unknown_datagram" });
    expect(() => second.log()).toThrow(/open it to read only/u);
  });

  test("a bad commit is refused as it is by the holder, and nothing is sent", async () => {
    await using first = await open();
    await using second = await open();
    const bad = { source, changes: [{ target: "company/a", field: "f", value: Number.NaN }] };
    for (const ledger of [first, second]) {
      await expect(ledger.write(bad)).rejects.toMatchObject({ code: "ledger_value" });
    }
    const big = { target: "company/a", field: "f", value: "x".repeat(2 ** 20 + 1) };
    await expect(second.write({ source, changes: [big] })).rejects.toMatchObject({
      code: "ledger_value_too_big",
    });
  });

  test("large values pass, and so does what it takes to read it", async () => {
    await using _first = await open();
    await using second = await open();
    const changes = Array.from({ length: 4 }, (_, index) => ({
      target: "company/a",
      field: `f${index}`,
      value: "x".repeat(2 ** 20 - 2),
    }));
    expect((await second.write({ source, changes })).datagrams).toHaveLength(4);
    expect((await second.read("company/a")).fields).toHaveLength(4);
  });

  test("when the holder ends, the next in need holds it; nothing that was written is lost", async () => {
    const first = await open();
    await using second = await open();
    await using third = await open();
    await set(second, "one", 1);
    const writing = Array.from({ length: 50 }, (_, index) => set(third, `f${index}`, index));
    await first[Symbol.asyncDispose]();
    await Promise.all(writing);
    await set(second, "two", 2);
    const values = await valuesOf(second, "company/a");
    expect(Object.keys(values)).toHaveLength(52);
    expect([second, third].filter(isHolder)).toHaveLength(1);
  });

  test("who brings it together with a bucket is let to hold it", async () => {
    await using bucket = createMemoryBucket({ clock });
    await using first = await open();
    await using second = await open();
    await set(first, "one", 1);
    expect(await second.withBucket(bucket).sync()).toMatchObject({ published: 1 });
    expect([isHolder(first), isHolder(second)]).toEqual([false, true]);
    await set(first, "two", 2);
    expect(await first.withBucket(bucket).push()).toBe(1);
    expect(await valuesOf(second, "company/a")).toEqual({ one: 1, two: 2 });
  });
});

describe("the door", () => {
  test("its file is for this user alone, and goes with the holder", async () => {
    {
      await using _ledger = await open();
      expect(statSync(doorFile).mode & 0o777).toBe(0o600);
    }
    expect(existsSync(doorFile)).toBe(false);
  });

  test("a wrong token is refused before anything is read, and the holder does not mind", async () => {
    await using ledger = await open();
    const place = (await readDoorFile(doorFile))!;
    const token = place.token.map((byte) => byte ^ 1);
    expect(await knock({ place: { ...place, token }, clock, random })).toBeUndefined();
    // The proof of another token, and a whole request behind it: it must not be done.
    const socket = connect({ host: "127.0.0.1", port: place.port });
    const commit = { source, changes: [{ target: "company/a", field: "f", value: 1 }] };
    socket.write(
      Buffer.concat([Buffer.alloc(64), encodeFrame({ id: 1, ask: { op: "write", commit } })]),
    );
    await new Promise((resolve) =>
      socket
        .on("close", resolve)
        .on("error", () => {})
        .resume(),
    );
    expect(await valuesOf(ledger, "company/a")).toEqual({});
  });

  test("a holder without the token is not talked to: the port belongs to a stranger now", async () => {
    const heard: Buffer[] = [];
    const stranger = createServer((socket) => {
      socket.on("data", (chunk) => {
        heard.push(chunk);
        socket.write(Buffer.alloc(64, 7));
      });
    });
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    const { port } = stranger.address() as AddressInfo;
    const token = random.bytes(32);
    expect(await knock({ place: { port, token, pid: 1 }, clock, random })).toBeUndefined();
    const said = Buffer.concat(heard);
    expect(said.byteLength).toBe(32);
    expect(said.includes(Buffer.from(token))).toBe(false);
    stranger.close();
  });

  test("files that a killed holder or a worn card left are seen through", async () => {
    {
      await using _made = await open();
    }
    const stale = [
      "",
      "{",
      '{"format":1,"port":0}',
      JSON.stringify({ format: 1, port: 1, token: "0".repeat(64), pid: 1 }),
      "\u0000".repeat(120),
    ];
    for (const text of stale) {
      writeFileSync(doorFile, text);
      await using first = await open();
      await using second = await open();
      await set(second, "f", text);
      expect(isHolder(first)).toBe(true);
      expect(readFileSync(doorFile, "utf8")).not.toBe(text);
    }
  });

  test("a guest that finds a stale file, or half a one, waits until the holder has opened its door", async () => {
    await using first = await open();
    const place = (await readDoorFile(doorFile))!;
    await writeDoorFile(doorFile, { ...place, port: 1 });
    const opening = open();
    await new Promise((resolve) => setTimeout(resolve, 30));
    writeFileSync(doorFile, "{");
    await new Promise((resolve) => setTimeout(resolve, 60));
    await writeDoorFile(doorFile, place);
    await using second = await opening;
    expect([isHolder(first), isHolder(second)]).toEqual([true, false]);
  });

  test("who holds the lock and lets nobody in is named, in time", async () => {
    {
      await using _made = await open();
    }
    using _lock = tryLockFolder(join(folder, "ledger", "lock.db"), { waitMs: 0 });
    let nowMs = 0;
    const hasty = { ...clock, monotonicMs: () => (nowMs += 10_000) };
    const stand = testStand(folder, hasty);
    await expect(stand({ onYield: () => {} })).rejects.toMatchObject({ code: "ledger_in_use" });
  });

  test("a request that is too long ends the connection, not the holder", async () => {
    await using first = await open();
    const place = (await readDoorFile(doorFile))!;
    const guest = (await knock({ place, clock, random }))!;
    const text = "x".repeat(49 * 2 ** 20);
    await expect(guest.ask({ op: "read", target: text })).rejects.toMatchObject({
      code: "ledger_commit_too_big",
    });
    guest.close();
    await set(first, "f", 1);
    const reader = createFrameReader({ bytesMax: 10 });
    expect(() => reader.take(encodeFrame({ text: "more than ten" }))).toThrow(/10 are allowed/u);
  });
});
