// inputs: src/ledger/** src/base/** src/config/** src/bucket/**
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock, type Clock } from "../../../base/clock.ts";
import { silentLogger } from "../../../base/logger.ts";
import { systemRandom } from "../../../base/random.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import { openLedger, type Ledger } from "../../ledger.ts";
import { openTestSharedLedger } from "../../testing/test-shared-ledger.ts";
import { createMemoryDisk } from "../memory/memory-disk.ts";
import { readDoorFile } from "./door-file.ts";
import { knock } from "./door-guest.ts";
import { openDoor } from "./door.ts";
import { encodeFrame } from "./frames.ts";
import { shakeAsHolder } from "./handshake.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-door-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [clock, random] = [systemClock, systemRandom];
const source = "site:https://a.b";

/** A holder that lets guests in, shows them something, and then does what the test says. */
async function openOddHolder(onAsk: (socket: Socket) => void) {
  const token = random.bytes(32);
  const receive = async (socket: Socket) => {
    socket.on("error", () => {});
    await shakeAsHolder({ socket, token, clock, random });
    const look = { status: { highWater: "" }, vector: [], isWhole: true, quarantine: [] };
    socket.write(encodeFrame({ look }));
    socket.on("data", () => onAsk(socket)).resume();
  };
  const server = createServer((socket) => void receive(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { place: { port, token, pid: 4711 }, close: () => server.close() };
}

/** Runs as it should until it is told to hurry: then a minute passes in a blink. */
function createHastyClock(): Clock & { hurry(): void } {
  let isHasty = false;
  let aheadMs = 0;
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs() + aheadMs,
    setTimer: (delayMs, callback, options) =>
      clock.setTimer(
        isHasty ? delayMs / 500 : delayMs,
        () => {
          if (isHasty) aheadMs += delayMs;
          callback();
        },
        options,
      ),
    hurry: () => void (isHasty = true),
  };
}

describe("a door", () => {
  test("what is asked for together is synced together, also by several guests", async () => {
    const disk = createMemoryDisk({ files: new Map() });
    let appends = 0;
    const append = (name: string, bytes: Uint8Array) => {
      appends += 1;
      return disk.append(name, bytes);
    };
    const log = silentLogger;
    const counting = { ...disk, append };
    await using ledger = await openLedger({ disk: counting, clock, random, log, label: "test" });
    const token = random.bytes(32);
    const opened = Promise.resolve(ledger);
    const door = await openDoor({ ledger: opened, token, clock, random, log, onYield: () => {} });
    const place = { port: door.port, token, pid: 1 };
    const guests = await Promise.all([0, 1].map(() => knock({ place, clock, random })));
    const asks = guests.flatMap((guest, who) =>
      Array.from({ length: 200 }, (_, index) => {
        const changes = [{ target: `company/${who}-${index}`, field: "f", value: index }];
        return guest!.ask({ op: "write", commit: { source, changes } });
      }),
    );
    await Promise.all(asks);
    expect(ledger.status().datagramsSinceCheckpoint).toBe(400);
    expect(appends).toBeLessThan(40);
    for (const guest of guests) guest!.close();
    door.close();
  });

  test("works wherever the data folder is: no path is too long for it", async () => {
    const deep = join(folder, "a".repeat(120), "b".repeat(120));
    await using first = await openTestSharedLedger(deep);
    await using second = await openTestSharedLedger(deep);
    const changes = [{ target: "company/a", field: "f", value: 1 }];
    expect((await second.write({ source, changes })).datagrams).toHaveLength(1);
    expect(first.log()).toHaveLength(1);
  });

  test("what a newer guest asks and the holder does not know is told as that", async () => {
    await using _ledger = await openTestSharedLedger(folder);
    const place = (await readDoorFile(join(folder, "ledger", "door.json")))!;
    const guest = (await knock({ place, clock, random }))!;
    await expect(guest.ask({ op: "fly" } as never)).rejects.toMatchObject({
      kind: "unavailable",
      code: "ledger_holder_differs",
    });
    guest.close();
  });

  test("guests that die in the middle of a request do it no harm", async () => {
    await using ledger = await openTestSharedLedger(folder);
    const place = (await readDoorFile(join(folder, "ledger", "door.json")))!;
    for (let count = 0; count < 20; count++) {
      const guest = (await knock({ place, clock, random }))!;
      const changes = [{ target: "company/a", field: "f", value: count }];
      const asking = guest.ask({ op: "write", commit: { source, changes } });
      guest.close();
      await expect(asking).rejects.toMatchObject({ code: "door_shut" });
    }
    const changes = [{ target: "company/a", field: "g", value: 1 }];
    expect((await ledger.write({ source, changes })).datagrams).toHaveLength(1);
  });
});

describe("a holder in trouble", () => {
  test("one that says nothing is not waited for without end, and is named", async () => {
    const holder = await openOddHolder(() => {});
    const hasty = createHastyClock();
    const guest = (await knock({ place: holder.place, clock: hasty, random }))!;
    hasty.hurry();
    await expect(guest.ask({ op: "read", target: "company/a" })).rejects.toMatchObject({
      kind: "unavailable",
      code: "ledger_holder_silent",
      message: expect.stringContaining("process 4711 holds the ledger") as string,
    });
    holder.close();
  });

  test("one that answers nonsense is left, as one that is gone", async () => {
    for (const nonsense of [
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      Buffer.from("\0\0\0\u0003abc"),
    ]) {
      const holder = await openOddHolder((socket) => socket.write(nonsense));
      const guest = (await knock({ place: holder.place, clock, random }))!;
      await expect(guest.ask({ op: "digest" })).rejects.toMatchObject({ code: "door_shut" });
      await guest.gone;
      holder.close();
    }
  });
});

describe("a ledger that changes hands all the time", () => {
  test("who is in the middle of a sync ends it before it lets go, and answers meanwhile", async () => {
    await using bucket = createMemoryBucket({ clock });
    await using first = await openTestSharedLedger(folder);
    await using second = await openTestSharedLedger(folder);
    const changes = [{ target: "company/a", field: "f", value: 1 }];
    await first.write({ source, changes });
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let enter = () => {};
    const entered = new Promise<void>((resolve) => (enter = resolve));
    const slow = {
      ...bucket,
      async now() {
        enter();
        await held;
        return bucket.now();
      },
    };
    const pushing = first.withBucket(slow).push();
    await entered;
    const waiting = second.withBucket(bucket).push();
    for (let count = 0; count < 15; count++) {
      await second.read("company/a");
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(first.log()).toHaveLength(1); // it throws in who does not hold it
    }
    goOn();
    expect(await pushing).toBe(1);
    expect(await waiting).toBe(0);
    expect(second.log()).toHaveLength(1);
  });

  test("loses nothing, writes nothing twice, and its numbers have no gap", async () => {
    await using bucket = createMemoryBucket({ clock });
    const ledgers = [];
    for (let count = 0; count < 3; count++) ledgers.push(await openTestSharedLedger(folder));
    const writes = 30;
    const write = async (ledger: Ledger, who: number) => {
      for (let index = 0; index < writes; index++) {
        const change = { target: `company/${index % 4}`, field: `f/${who}/${index}`, value: index };
        await ledger.write({ source, changes: [change] });
      }
    };
    const push = async (ledger: Ledger) => {
      let pushed = 0;
      for (let count = 0; count < 3; count++) pushed += await ledger.withBucket(bucket).push();
      return pushed;
    };
    const pushed = await Promise.all(
      ledgers.map(async (ledger, who) => {
        const [, count] = await Promise.all([write(ledger, who), push(ledger)]);
        return count;
      }),
    );
    const [first] = ledgers;
    const rest = await first!.withBucket(bucket).push();
    expect(pushed.reduce((sum, count) => sum + count, 0) + rest).toBe(3 * writes);
    const log = first!.log();
    expect(new Set(log.map(({ field }) => field)).size).toBe(3 * writes);
    expect(log).toHaveLength(3 * writes);
    const known = [...first!.vector().values()].reduce((sum, number) => sum + number, 0);
    expect(known).toBe(log.length);
    expect(first!.vector().size).toBeGreaterThan(1);
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
  }, 30_000);
});
