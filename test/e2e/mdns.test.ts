// needs: namespaces avahi
// inputs: src/** test/support/mdns-node.ts test/support/network/relay.ts
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { clusterHash } from "../../src/gossip/wire/packet.ts";
import { startAvahi } from "../support/avahi.ts";
import { openNetwork, type NetworkNode } from "../support/namespaces.ts";
import { needs } from "../support/services.ts";

const program = fileURLToPath(new URL("../support/mdns-node.ts", import.meta.url));
const ids = ["1111111111111", "2222222222222", "3333333333333"] as const;
const type = "_forager._udp";
const cluster = Buffer.from(clusterHash("field")).toString("hex");
const wait = { interval: 50 };

needs(["namespaces", "avahi"], ({ avahi: programs }) => {
  test("Avahi finds our node, and we find what Avahi announces, if it is of ours", async () => {
    await using network = await openNetwork({ nodes: 2 });
    const [machine, own] = network.nodes as [NetworkNode, NetworkNode];
    await addInnerNetwork(own);
    await using avahi = await startAvahi(machine, programs);
    const node = await startNode(own, ids[0]);

    await expect.poll(() => avahi.browse(type), wait).toHaveLength(1);
    const [seen] = await avahi.browse(type);
    expect(seen).toMatchObject({
      name: expect.stringMatching(`^${ids[0]}-[0-9a-z]{6}$`) as string,
      host: `forager-${ids[0]}.local`,
      address: own.address,
      port: 9999,
    });
    expect(seen!.txt.toSorted()).toEqual([`cluster=${cluster}`, `node=${ids[0]}`, "v=1"]);
    const answer = await own.run("ip", ["-o", "-4", "addr"]);
    expect(answer).toContain("172.17.0.1"); // it is there, and was not announced

    const fleet = (id: string, mark = cluster) => ["v=1", `cluster=${mark}`, `node=${id}`];
    await Promise.all([
      avahi.publish({ name: "stranger", type, port: 7, txt: fleet(ids[2], "0".repeat(16)) }),
      avahi.publish({ name: "climber", type, port: 8, txt: fleet("../../../etc/a") }),
      avahi.publish({ name: "printer", type: "_ipp._tcp", port: 9, txt: fleet(ids[2]) }),
      avahi.publish({ name: "friend", type, port: 10_999, txt: fleet(ids[1]) }),
    ]);
    const friend = { node: ids[1], address: `${machine.address}:10999` };
    await expect.poll(() => node.reported(), wait).toEqual([friend]);

    await node.end();
    await expect.poll(() => avahi.browse(type).then((all) => all.map(({ name }) => name)), wait).toSatisfy((names: string[]) => !names.includes(seen!.name)); // prettier-ignore
  });

  test("two nodes find each other, one with a new address too; packets of nobody harm neither", async () => {
    await using network = await openNetwork({ nodes: 2 });
    const [first, second] = network.nodes as [NetworkNode, NetworkNode];
    const noise = startNoise(first);
    const [one, two] = [await startNode(first, ids[0]), await startNode(second, ids[1])];
    const at = (node: NetworkNode, id: string) => ({ node: id, address: `${node.address}:9999` });
    await expect.poll(() => one.reported(), wait).toContainEqual(at(second, ids[1]));
    await expect.poll(() => two.reported(), wait).toContainEqual(at(first, ids[0]));
    await second.run("ip", ["addr", "del", `${second.address}/24`, "dev", "lan0"]);
    await second.run("ip", ["addr", "add", "10.77.0.77/24", "dev", "lan0"]);
    await second.run("ip", ["route", "replace", "default", "dev", "lan0"]);
    const moved = { node: ids[1], address: "10.77.0.77:9999" };
    await expect.poll(() => one.reported(), wait).toContainEqual(moved);
    noise.kill("SIGKILL");
    for (const node of [one, two]) {
      expect(node.said()).toEqual([]);
      await node.end();
    }
  });

  test("a port that is taken, or no network at all, fails quietly until it is there", async () => {
    await using network = await openNetwork({ nodes: 2 });
    const [first, second] = network.nodes as [NetworkNode, NetworkNode];
    await first.run("ip", ["link", "set", "lan0", "down"]);
    const taker = first.spawn(
      process.execPath,
      ["-e", `require("dgram").createSocket("udp4").bind(5353, () => console.log("taken"))`],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    await once(taker.stdout!, "data");
    const [one, two] = [await startNode(first, ids[0]), await startNode(second, ids[1])];
    await expect.poll(() => one.said(), wait).toContain("mdns failed once more");
    expect(one.said().filter((text) => text === "mdns failed and is started again")).toHaveLength(1); // prettier-ignore
    taker.kill("SIGKILL");
    await first.run("ip", ["link", "set", "lan0", "up"]);
    await first.run("ip", ["route", "replace", "default", "dev", "lan0"]);
    const back = { node: ids[0], address: `${first.address}:9999` };
    await expect.poll(() => two.reported(), wait).toContainEqual(back);
    for (const node of [one, two]) await node.end();
  });
});

/** As Docker makes one: the address is the same on every machine. */
async function addInnerNetwork(node: NetworkNode): Promise<void> {
  await node.run("ip", ["link", "add", "docker0", "type", "bridge"]);
  await node.run("ip", ["addr", "add", "172.17.0.1/16", "dev", "docker0"]);
  await node.run("ip", ["link", "set", "docker0", "up"]);
}

/** Random bytes, and beginnings of answers, to the group of mDNS. */
function startNoise(node: NetworkNode) {
  const source = `
    const { randomBytes } = require("crypto");
    const udp = require("dgram").createSocket("udp4");
    const head = Buffer.from("000084000000000300000000", "hex");
    const name = Buffer.from("085f666f7261676572045f756470056c6f63616c00000c0001", "hex");
    setInterval(() => {
      const size = Math.floor(Math.random() * 80);
      for (const begin of [[], [head], [head, name], [head, name, Buffer.from("0000007800", "hex")]])
        udp.send(Buffer.concat([...begin, randomBytes(size)]), 5353, "224.0.0.251");
    }, 5);`;
  return node.spawn(process.execPath, ["-e", source], { stdio: "ignore" });
}

interface NodeLine {
  readonly peers?: readonly { readonly node: string; readonly address: string }[];
  readonly said?: string;
}

async function startNode(machine: NetworkNode, id: string) {
  const args = ["--import", "tsx", program, id, "field", "9999"];
  const child = machine.spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines: NodeLine[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => void lines.push(JSON.parse(line) as NodeLine)); // prettier-ignore
  await expect.poll(() => lines.length, wait).toBeGreaterThan(0);
  return {
    /** Each peer once, in the order in which they were first told. */
    reported: () => {
      const all = lines.flatMap(({ peers = [] }) => peers);
      return [...new Map(all.map((peer) => [peer.address, peer])).values()];
    },
    said: () => lines.flatMap(({ said }) => said ?? []),
    async end() {
      const exit = once(child, "exit");
      child.stdin!.end();
      expect(await exit).toEqual([0, null]);
    },
  };
}
