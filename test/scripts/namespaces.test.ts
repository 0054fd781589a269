// needs: namespaces
// inputs: test/support/network/relay.ts
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { netemArgs, whyNoNetem, whyNoQdisc } from "../support/network/netem.ts";
import { openNetwork, type Network, type NetworkNode } from "../support/namespaces.ts";
import { needs } from "../support/services.ts";

test("what is asked of tc netem, word for word", () => {
  const bad = { lossShare: 0.1, delayMs: 50, jitterMs: 30, reorderShare: 0.1, twiceShare: 0.015 };
  const begin = "qdisc replace dev lan0 root netem limit 10000";
  expect(netemArgs(bad).join(" ")).toBe(
    `${begin} loss 10% delay 65ms 15ms reorder 10% duplicate 1.5%`,
  );
  expect(netemArgs({ delayMs: 50 }).join(" ")).toBe(`${begin} delay 50ms`);
  expect(netemArgs({}).join(" ")).toBe(begin);
});

needs(["namespaces"], ({ namespaces }) => {
  const list = () => execFileSync(namespaces.ip, ["netns", "list"], { encoding: "utf8" });

  test("nodes reach each other over a card of their own, and nothing is left of it", async () => {
    let names: string[] = [];
    let stillRuns = 0;
    {
      await using network = await openNetwork({ nodes: 2 });
      names = network.nodes.map(({ namespace }) => namespace);
      const [first, second] = pair(network);
      const server = await startEcho(second);
      stillRuns = server.pid!;
      expect(await ask(first, { to: second, count: 20, bytes: 1_200 })).toBe(20);
      // Long enough that the kernel leaves segments and checksums to the card.
      expect(await sendStream(first, second, 3_000_000)).toBe("3000000");
      const links = await first.run("ip", ["-o", "link"]);
      expect(links.trim().split("\n")).toHaveLength(2); // lo and lan0
      expect(await first.run("ip", ["-6", "-o", "addr", "show", "lan0"])).toContain("fe80::");
    }
    for (const name of names) expect(list()).not.toContain(name);
    expect(() => process.kill(stillRuns, 0)).toThrow("ESRCH");
  });

  test("the wire loses, delays and is cut as configured", async () => {
    await using network = await openNetwork({ nodes: 3, seed: 7 });
    const [first, second, third] = network.nodes as [NetworkNode, NetworkNode, NetworkNode];
    await startEcho(second);
    await startEcho(third);
    await ask(first, { to: second, count: 1 }); // both know each other's card now
    await network.shape({ lossShare: 0.3, delayMs: 40, reorderShare: 0.2 });
    const startedMs = performance.now();
    const heard = await ask(first, { to: second, count: 200 });
    expect(heard).toBeGreaterThan(50); // about half: there and back
    expect(heard).toBeLessThan(150);
    expect(performance.now() - startedMs).toBeGreaterThan(40);
    await network.shape({});
    await network.partition([[0, 1], [2]]);
    expect(await ask(first, { to: second, count: 5 })).toBe(5);
    expect(await ask(first, { to: third, count: 5 })).toBe(0);
    await network.heal();
    // A machine that did not answer is not asked for its card again at once.
    await expect.poll(() => ask(first, { to: third, count: 5 })).toBeGreaterThan(0);
    const { frames, lost } = await network.counts();
    expect(lost).toBeGreaterThan(60);
    expect(frames).toBeGreaterThan(lost);
  });

  test("whether the kernel has netem is tried, and where it has not the relay makes the trouble", async () => {
    await using network = await openNetwork({
      nodes: 2,
      isNetemWanted: true,
      shape: { lossShare: 1 },
    });
    const [first, second] = pair(network);
    expect(await whyNoQdisc(first.run, ["pfifo"])).toBeUndefined();
    expect(await whyNoQdisc(first.run, ["pfifo"])).toBeUndefined(); // nothing is left of the trial
    expect(await whyNoQdisc(first.run, ["nonesuch"])).toContain("nonesuch");
    const why = await whyNoNetem(first.run);
    expect(network.troubledBy).toBe(why === undefined ? "netem" : "relay");
    await startEcho(second);
    expect(await ask(first, { to: second, count: 3 })).toBe(0);
    await network.shape({});
    await expect.poll(() => ask(first, { to: second, count: 3 })).toBe(3);
  });

  test("what a killed test left behind is removed by the next one", async () => {
    const gone = `forager-net-${2 ** 22 + 1}-1-0`; // no process has this number
    execFileSync(namespaces.ip, ["netns", "add", gone]);
    await using _network = await openNetwork({ nodes: 1 });
    expect(list()).not.toContain(gone);
  });
});

const pair = ({ nodes }: Network) => nodes as unknown as readonly [NetworkNode, NetworkNode];

const echo = `
  const udp = require("dgram").createSocket("udp4").bind(7000, () => console.log("ready"));
  udp.on("message", (packet, from) => udp.send(packet, from.port, from.address));
  require("net").createServer({ allowHalfOpen: true }, (stream) => {
    let bytes = 0;
    stream.on("data", (chunk) => (bytes += chunk.length)).on("end", () => stream.end(String(bytes)));
  }).listen(7000);`;

async function startEcho(node: NetworkNode) {
  const child = node.spawn(process.execPath, ["-e", echo], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout!, "data");
  return child;
}

interface Asked {
  readonly to: NetworkNode;
  readonly count: number;
  readonly bytes?: number;
}

/** How many of so many datagrams came back within a moment of the last one. */
async function ask(node: NetworkNode, { to, count, bytes = 100 }: Asked): Promise<number> {
  const program = `
    const udp = require("dgram").createSocket("udp4");
    let heard = 0, timer;
    const end = () => { console.log(heard); udp.close(); };
    const wait = (ms) => { clearTimeout(timer); timer = setTimeout(end, ms); };
    udp.on("message", () => (heard++, heard === ${count} ? end(clearTimeout(timer)) : wait(400)));
    for (let at = 0; at < ${count}; at++) udp.send(Buffer.alloc(${bytes}), 7000, "${to.address}");
    wait(800);`;
  return Number(await node.run(process.execPath, ["-e", program]));
}

async function sendStream(from: NetworkNode, to: NetworkNode, bytes: number): Promise<string> {
  const program = `
    const stream = require("net").connect(7000, "${to.address}");
    stream.end(Buffer.alloc(${bytes}));
    stream.on("data", (answer) => console.log(String(answer)));`;
  return (await from.run(process.execPath, ["-e", program], 20_000)).trim();
}
