import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { silentLogger } from "../../../base/log/logger.ts";
import { systemRandom } from "../../../base/random.ts";
import { parseAddress } from "../../address.ts";
import { createGossip } from "../../gossip.ts";
import { createMemoryReplica } from "../../testing/memory-replica.ts";
import { transportSuite } from "../../testing/transport-suite.ts";
import { connectionsMax, openTcpPull } from "../tcp/tcp-pull.ts";
import { openUdpTransport } from "./udp-transport.ts";

const log = silentLogger;
const openBoth = async (host = "127.0.0.1") => ({
  transport: await openUdpTransport({ host, port: 0, log }),
  pull: await openTcpPull({ host, port: 0, clock: systemClock, log }),
});

async function until(isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + 10_000;
  while (!isSo() && performance.now() < endMs) await wait(5);
  expect(isSo()).toBe(true);
}

transportSuite({ name: "UDP and TCP", open: () => openBoth(), until });

describe("gossip over real sockets", () => {
  test.each(["127.0.0.1", "::1"])("small and large records arrive, on %s", async (host) => {
    const keyring = { keys: [systemRandom.bytes(32)] };
    const open = async (node: string) => {
      const replica = createMemoryReplica();
      const gossip = createGossip({
        replica,
        ...(await openBoth(host)),
        keyring,
        cluster: "test",
        node,
        clock: systemClock,
        random: systemRandom,
        log,
      });
      return { replica, gossip };
    };
    const [a, b] = [await open("a"), await open("b")];
    await using _closing = { [Symbol.asyncDispose]: () => closeAll([a.gossip, b.gossip]) };
    const seen = new Promise<string>((resolve) => {
      b.gossip.subscribe("wake", (_from, bytes) => resolve(Buffer.from(bytes).toString()));
    });
    // One side gets the address of the other, which learns the first one's from a packet.
    b.gossip.meet("static", [{ address: a.gossip.address() }]);
    await until(() => a.gossip.peers().length === 1 && b.gossip.peers().length === 1);
    const large = Buffer.alloc(500_000, "large");
    a.replica.write("a/1", Buffer.from("one"), large, Buffer.from("two"));
    a.gossip.publish("wake", Buffer.from("up"));
    await until(() => b.replica.vector().get("a/1") === 3);
    expect(Buffer.from(b.replica.records("a/1")[1]!).equals(large)).toBe(true);
    expect(await seen).toBe("up");
    expect(b.gossip.counters().sendErrors).toBe(0);
  });
});

const closeAll = async (all: readonly AsyncDisposable[]) => {
  for (const one of all) await one[Symbol.asyncDispose]();
};

describe("sockets", () => {
  test("a port that is taken is reported, with what to do", async () => {
    await using first = await openUdpTransport({ host: "127.0.0.1", port: 0, log });
    const { port } = parseAddress(first.address())!;
    await expect(openUdpTransport({ host: "127.0.0.1", port, log })).rejects.toThrow(
      new RegExp(`127.0.0.1 port ${port}: .*choose another gossip.port`),
    );
    await expect(openUdpTransport({ host: "localhost", port, log })).rejects.toThrow(
      /numeric address/,
    );
    await using pull = await openTcpPull({ host: "127.0.0.1", port: 0, clock: systemClock, log });
    const taken = parseAddress(pull.address())!.port;
    await expect(
      openTcpPull({ host: "127.0.0.1", port: taken, clock: systemClock, log }),
    ).rejects.toThrow(/choose another gossip.port/);
  });

  test("who connects and says nothing, or too much, neither stays nor keeps others out", async () => {
    await using pull = await openTcpPull({ host: "127.0.0.1", port: 0, clock: systemClock, log });
    let questions = 0;
    pull.answer(async (_from, question) => {
      questions += 1;
      return question;
    });
    const { host, port } = parseAddress(pull.address())!;
    const idle = Array.from({ length: connectionsMax + 4 }, () => connect({ host, port }));
    for (const socket of idle) socket.on("error", () => {});
    await wait(50);
    await using guest = await openTcpPull({ host: "127.0.0.1", port: 0, clock: systemClock, log });
    expect(Buffer.from(await guest.ask(pull.address(), Buffer.from("?"))).toString()).toBe("?");
    const rude = connect({ host, port });
    rude.on("error", () => {});
    rude.write(Buffer.from([255, 255, 255, 255, 1, 2, 3]));
    const closed = new Promise<void>((resolve) => rude.once("close", () => resolve()));
    await closed;
    expect(questions).toBe(1);
    for (const socket of idle) socket.destroy();
  });
});
