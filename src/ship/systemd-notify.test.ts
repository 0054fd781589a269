import { expect, test } from "vitest";
import type { Logger } from "../base/log/logger.ts";
import { silentLogger } from "../base/log/logger.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createManagedService, takeServiceManager } from "./systemd-notify.ts";

test("the variables of systemd are taken out of the environment", () => {
  const env = { NOTIFY_SOCKET: "/run/n", WATCHDOG_USEC: "60000000", WATCHDOG_PID: "7", PATH: "/b" };
  expect(takeServiceManager(env, 7)).toEqual({
    socket: "/run/n",
    watchdogMs: 60_000,
    path: "/b",
  });
  expect(env).toEqual({ PATH: "/b" });
});

test("a watchdog of another process, or none, is not served", () => {
  const socket = "/run/n";
  const other = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "60000000", WATCHDOG_PID: "8" };
  expect(takeServiceManager(other, 7)).toMatchObject({ socket, watchdogMs: undefined });
  expect(takeServiceManager({ NOTIFY_SOCKET: socket }, 7)?.watchdogMs).toBeUndefined();
  const wrong = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "soon" };
  expect(takeServiceManager(wrong, 7)?.watchdogMs).toBeUndefined();
  expect(takeServiceManager({ WATCHDOG_USEC: "1" }, 7)).toBeUndefined();
});

function createFixture({ hasWatchdog = true, log = silentLogger } = {}) {
  const clock = createTestClock();
  const sent: string[] = [];
  const state = { fault: undefined as string | undefined, isBroken: false };
  const service = createManagedService({
    manager: { socket: "/run/n", watchdogMs: hasWatchdog ? 60_000 : undefined, path: "/bin" },
    async notify(assignments) {
      if (state.isBroken) throw new Error("no such program");
      sent.push(assignments.join(" "));
    },
    status: () => "at work",
    fault: () => state.fault,
    clock,
    log,
  });
  const take = () => sent.splice(0);
  return { clock, state, service, take };
}

test("ready, then alive at a third of the watchdog's time, then stopping", async () => {
  const { clock, service, take } = createFixture();
  await service.start();
  expect(take()).toEqual(["READY=1 STATUS=at work"]);
  await clock.advance(19_999);
  expect(take()).toEqual([]);
  await clock.advance(40_001);
  expect(take()).toEqual(Array(3).fill("WATCHDOG=1 STATUS=at work"));
  await service.stop();
  expect(take()).toEqual(["STOPPING=1 STATUS=stopping"]);
  await clock.advance(60_000);
  expect(take()).toEqual([]);
});

test("a supervisor with a fault is not reported alive, until it works again", async () => {
  const errors: unknown[] = [];
  const log: Logger = { ...silentLogger, error: (_, fields) => void errors.push(fields) };
  const { clock, state, service, take } = createFixture({ log });
  await service.start();
  take();
  state.fault = "worker a was killed and does not end";
  await clock.advance(40_000);
  expect(take()).toEqual(Array(2).fill(`STATUS=faulty: ${state.fault}`));
  expect(errors).toEqual([{ why: state.fault }]); // once
  state.fault = undefined;
  await clock.advance(20_000);
  expect(take()).toEqual(["WATCHDOG=1 STATUS=at work"]);
  await service.stop();
});

test("without a watchdog the status alone is sent", async () => {
  const { clock, service, take } = createFixture({ hasWatchdog: false });
  await service.start();
  take();
  await clock.advance(30_000);
  expect(take()).toEqual(["STATUS=at work"]);
  await service.stop();
});

test("a message that cannot be sent ends nothing", async () => {
  const { clock, state, service, take } = createFixture();
  state.isBroken = true;
  await service.start();
  await clock.advance(20_000);
  state.isBroken = false;
  await clock.advance(20_000);
  expect(take()).toEqual(["WATCHDOG=1 STATUS=at work"]);
  await service.stop();
});
