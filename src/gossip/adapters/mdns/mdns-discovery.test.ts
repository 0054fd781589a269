import { expect, test } from "vitest";
import { silentLogger, type Logger } from "../../../base/log/logger.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { createTestClock, type TestClock } from "../../../base/testing/test-clock.ts";
import { createMdnsDiscovery, type MdnsDiscoveryOptions } from "./mdns-discovery.ts";

const program = (name: string) => new URL(`./testing/${name}-thread`, import.meta.url);

test("what fails in a thread stays there: started again, later and later, said once", async () => {
  const { clock, reported, said, options } = setUp();
  const delaysMs: number[] = [];
  const setTimer: TestClock["setTimer"] = (delayMs, callback) => {
    if (delayMs !== 10_000) delaysMs.push(delayMs); // the look at our own addresses
    return clock.setTimer(delayMs, callback);
  };
  const discovery = createMdnsDiscovery({
    ...options,
    clock: { ...clock, setTimer },
    program: program("failing"),
  });
  for (let failures = 1; failures <= 4; failures++) {
    await until(() => delaysMs.length === failures);
    expect(reported).toHaveLength(failures);
    await clock.advance(delaysMs.at(-1)!);
  }
  await discovery[Symbol.asyncDispose]();
  for (const [at, delayMs] of delaysMs.slice(0, 4).entries()) {
    expect(delayMs).toBeGreaterThanOrEqual(1_000 * 2 ** at);
    expect(delayMs).toBeLessThan(1_250 * 2 ** at);
  }
  expect(said).toEqual(["mdns failed and is started again"]);
  expect(clock.pendingTimers()).toBe(0);
});

test("without the library it says so, once, and is quiet", async () => {
  const { clock, said, options } = setUp();
  await using _discovery = createMdnsDiscovery({ ...options, program: program("absent") });
  await until(() => said.length > 0);
  await clock.advance(3_600_000);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^bonjour-service is not installed/);
  expect(clock.pendingTimers()).toBe(0);
});

test("other addresses are announced by another thread", async () => {
  const { clock, reported, said, options } = setUp();
  let own = ["10.0.0.1:9999"];
  await using _discovery = createMdnsDiscovery({
    ...options,
    program: program("patient"),
    reach: () => ({ own, accepts: () => true }),
  });
  await until(() => reported.length === 1);
  await clock.advance(11_000);
  expect(reported).toEqual(["10.0.0.1:9999"]);
  own = ["10.0.0.2:9999"];
  await clock.advance(10_000);
  await until(() => reported.length === 2);
  expect(reported).toEqual(["10.0.0.1:9999", "10.0.0.2:9999"]);
  expect(said).toEqual([]);
});

test("unreachable addresses are not reported", async () => {
  const { reported, options } = setUp();
  await using _discovery = createMdnsDiscovery({
    ...options,
    program: program("patient"),
    reach: () => ({
      own: ["172.17.0.1:9999", "10.0.0.1:9999"],
      accepts: (address) => !address.startsWith("172."),
    }),
  });
  await until(() => reported.length > 0);
  expect(reported).toEqual(["10.0.0.1:9999"]);
});

test("bound to loopback there is nothing to announce: no thread, no timer", async () => {
  const { clock, options } = setUp();
  await using _discovery = createMdnsDiscovery({ ...options, bound: "127.0.0.1:9999" });
  expect(clock.pendingTimers()).toBe(0);
});

function setUp() {
  const clock: TestClock = createTestClock();
  const reported: string[] = [];
  const said: string[] = [];
  const say = (message: string) => void said.push(message);
  const log: Logger = { ...silentLogger, warn: say, info: say, error: say };
  const options: MdnsDiscoveryOptions = {
    node: "0000000000000",
    cluster: "test",
    bound: "0.0.0.0:9999",
    reach: () => ({ own: ["10.0.0.1:9999"], accepts: () => true }),
    found: (peers) => void reported.push(...peers.map(({ address }) => address)),
    clock,
    random: createSeededRandom(1),
    log,
  };
  return { clock, reported, said, options };
}

const until = (isSo: () => boolean) => expect.poll(isSo).toBe(true);
