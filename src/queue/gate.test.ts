import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  burstLimit,
  hasRoom,
  isOpen,
  isOwned,
  newGate,
  openFromMs,
  opensSinceStart,
  viewGate,
  type Gate,
} from "./gate.ts";
import { exactNow } from "./model/now.ts";

const gate = (more: Partial<Gate> = {}): Gate => ({ ...newGate("g"), ...more });

describe("a gate", () => {
  test("is owned with a delay or a limit of one", () => {
    expect(isOwned({ delayMs: 0, limit: 1 })).toBe(true);
    expect(isOwned({ delayMs: 1, limit: 9 })).toBe(true);
    expect(isOwned({ delayMs: 0, limit: 2 })).toBe(false);
  });

  test("without settings lets one request through at a time", () => {
    expect(newGate("g")).toMatchObject({ delayMs: 0, limit: 1 });
    expect(isOpen(newGate("g"), 0)).toBe(true);
  });

  test("owned has room when nothing of it runs", () => {
    expect(hasRoom(gate({ running: 0 }))).toBe(true);
    expect(hasRoom(gate({ running: 1, runSlots: 1 }))).toBe(false);
    expect(hasRoom(gate({ delayMs: 1, limit: 5, running: 1, runSlots: 1 }))).toBe(false);
  });

  test("shared has room up to its limit", () => {
    expect(hasRoom(gate({ limit: 3, running: 2 }))).toBe(true);
    expect(hasRoom(gate({ limit: 3, running: 3 }))).toBe(false);
    expect(hasRoom(gate({ limit: 3, running: 4 }))).toBe(false);
  });

  test("has no room for others while a run lasts, whatever was set meanwhile", () => {
    expect(hasRoom(gate({ limit: 10, running: 1, runSlots: 1 }))).toBe(false);
  });

  test("opens when both its block and its delay are over", () => {
    const closed = gate({ blockedUntilMs: 50, opensAtMs: 80 });
    expect(openFromMs(closed)).toBe(80);
    expect(openFromMs(gate({ blockedUntilMs: 90, opensAtMs: 80 }))).toBe(90);
    expect(isOpen(closed, 79)).toBe(false);
    expect(isOpen(closed, 80)).toBe(true);
    expect(isOpen({ ...closed, running: 1 }, 80)).toBe(false);
  });

  test("property: the starts of a run fit into half its lease, but for the first", () => {
    const number = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 1_000 }), (delayMs, leaseMs, burst) => {
        const size = burstLimit({ delayMs, limit: 1 }, leaseMs, burst);
        expect(size).toBeGreaterThanOrEqual(1);
        expect(size).toBeLessThanOrEqual(burst);
        expect(Number.isInteger(size)).toBe(true);
        if (size > 1) expect(size * delayMs).toBeLessThanOrEqual(leaseMs / 2);
      }),
    );
  });

  test("without a delay a run is as long as was asked for", () => {
    expect(burstLimit({ delayMs: 0, limit: 1 }, 10, 50)).toBe(50);
  });

  test("counts its delay from the start, and never opens earlier than it said before", () => {
    const now = exactNow({ ms: 5_000, wallMs: 0 });
    expect(opensSinceStart(gate({ delayMs: 1_000 }), now, 300)).toBe(5_700);
    expect(opensSinceStart(gate({ delayMs: 1_000, opensAtMs: 6_000 }), now, 300)).toBe(6_000);
  });

  test("is seen by a lease holder as a rule and a wait", () => {
    const blocked = gate({ delayMs: 10, limit: 2, blockedUntilMs: 500 });
    expect(viewGate(blocked, 200)).toEqual({ delayMs: 10, limit: 2, blockedForMs: 300 });
    expect(viewGate(blocked, 900)).toEqual({ delayMs: 10, limit: 2, blockedForMs: 0 });
  });
});
