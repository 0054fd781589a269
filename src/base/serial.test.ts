import { describe, expect, test } from "vitest";
import { createSerial } from "./serial.ts";
import { afterTick } from "./tick.ts";

const tick = () => new Promise<void>(afterTick);

describe("serial work", () => {
  test("runs one at a time, in the order given, and passes on what each returns or throws", async () => {
    const serial = createSerial();
    const seen: string[] = [];
    const work = (name: string) => async () => {
      seen.push(`${name} begins`);
      await tick();
      seen.push(`${name} ends`);
      return name;
    };
    const failing = async () => {
      await work("b")();
      throw new Error("b fails");
    };
    const all = await Promise.allSettled([
      serial.run(work("a")),
      serial.run(failing),
      serial.run(work("c")),
    ]);
    expect(all.map((one) => (one.status === "fulfilled" ? one.value : one.reason.message))).toEqual(
      ["a", "b fails", "c"],
    );
    expect(seen).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  test("a pause lets all that waits go first, and then continues", async () => {
    const serial = createSerial();
    const seen: string[] = [];
    const long = serial.run(async () => {
      for (const part of [1, 2, 3]) {
        seen.push(`long ${part}`);
        await serial.pause();
      }
    });
    await serial.run(async () => void seen.push("a"));
    const others = ["b", "c"].map((name) => serial.run(async () => void seen.push(name)));
    await Promise.all([long, ...others]);
    expect(seen).toEqual(["long 1", "a", "long 2", "b", "c", "long 3"]);
  });

  test("a pause lets others ask first that need the event loop for it", async () => {
    const serial = createSerial();
    const seen: string[] = [];
    const long = serial.run(async () => {
      for (let part = 0; part < 5 && seen.length === 0; part++) await serial.pause();
      seen.push("long has ended");
    });
    await tick();
    await Promise.all([long, serial.run(async () => void seen.push("other"))]);
    expect(seen).toEqual(["other", "long has ended"]);
  });

  test("two that pause take turns, and never run at the same time", async () => {
    const serial = createSerial();
    const seen: string[] = [];
    let running = 0;
    const long = (name: string) =>
      serial.run(async () => {
        for (const part of [1, 2]) {
          running += 1;
          expect(running).toBe(1);
          seen.push(`${name}${part}`);
          await tick();
          running -= 1;
          await serial.pause();
        }
      });
    await Promise.all([long("a"), long("b")]);
    expect(seen).toEqual(["a1", "b1", "a2", "b2"]);
  });

  test("work that is aborted while it waits is not run, and those behind it are", async () => {
    const serial = createSerial();
    const seen: string[] = [];
    let end = () => {};
    const first = serial.run(() => new Promise<void>((resolve) => (end = resolve)));
    const stop = new AbortController();
    const second = serial.run(async () => void seen.push("second"), { signal: stop.signal });
    const third = serial.run(async () => void seen.push("third"));
    stop.abort();
    await expect(second).rejects.toMatchObject({ kind: "aborted", code: "work_aborted" });
    await expect(
      serial.run(async () => void seen.push("fourth"), { signal: stop.signal }),
    ).rejects.toMatchObject({ kind: "aborted" });
    end();
    await Promise.all([first, third]);
    expect(seen).toEqual(["third"]);
  });

  test("work that is aborted ends at its next pause, and nobody runs beside it", async () => {
    const serial = createSerial();
    const stop = new AbortController();
    const seen: string[] = [];
    const long = serial.run(async () => {
      try {
        for (;;) await serial.pause({ signal: stop.signal }).then(tick);
      } finally {
        await tick();
        seen.push("long has ended");
      }
    });
    const other = serial.run(async () => void seen.push("other"));
    await other;
    const last = serial.run(async () => void seen.push("last"));
    stop.abort();
    await expect(long).rejects.toMatchObject({ kind: "aborted" });
    await last;
    expect(seen).toEqual(["other", "long has ended", "last"]);
  });
});
