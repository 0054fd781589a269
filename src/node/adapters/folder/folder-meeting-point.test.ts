import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { systemClock, type Clock } from "../../../base/clock.ts";
import { silentLogger } from "../../../base/log/logger.ts";
import { systemRandom } from "../../../base/random.ts";
import { createTestClock } from "../../../base/testing/test-clock.ts";
import { createPaths } from "../../../config/index.ts";
import type { Channel, MeetingPoint } from "../../meeting-point.ts";
import { connectionsMax, createFolderMeetingPoint } from "./folder-meeting-point.ts";
import { createFrameReader, encodeFrame } from "./frames.ts";
import { proveAsClient } from "./handshake.ts";
import { messageBytesMax } from "./socket-channel.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-meeting-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const common = { clock: systemClock, random: systemRandom };
const openPoint = (clock = systemClock): MeetingPoint =>
  createFolderMeetingPoint({
    ...common,
    clock,
    paths: createPaths(folder),
    log: silentLogger,
    pid: process.pid,
  });

/** An owner that answers each message with the same message, and what arrived. */
async function startOwner(clock?: Clock) {
  const point = openPoint(clock);
  const lock = point.tryLock()!;
  const received: unknown[] = [];
  const channels: Channel[] = [];
  const listener = await point.listen((channel) => {
    channels.push(channel);
    channel.receive((message) => {
      received.push(message);
      channel.send(message);
    });
  });
  onTestFinished(async () => {
    for (const channel of channels) channel.close();
    await listener.close();
    lock[Symbol.dispose]();
  });
  const file = join(folder, "node/owner.json");
  const { port, token } = JSON.parse(readFileSync(file, "utf8")) as { port: number; token: string };
  return { point, received, channels, listener, file, port, token: Buffer.from(token, "hex") };
}

async function dial(
  port: number,
): Promise<{ socket: Socket; got: () => Buffer; ended: Promise<unknown> }> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  const ended = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "connect");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { socket, got: () => Buffer.concat(chunks), ended };
}

const ask = async (channel: Channel, message: unknown) => {
  channel.setWaiting(true);
  const answer = new Promise((resolve) => channel.receive(resolve));
  channel.send(message);
  return answer;
};

test("a client that knows the token is answered; the file with the token is for its user alone", async () => {
  const { point, file, listener } = await startOwner();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "node")).mode & 0o777).toBe(0o700);
  const channel = await openPoint().connect();
  expect(await ask(channel!, { hello: "ü" })).toEqual({ hello: "ü" });
  channel!.close();
  expect(point.tryLock()).toBeUndefined(); // held by this process, which counts too
  await listener.close();
  expect(await openPoint().connect()).toBeUndefined();
});

test.each([
  ["a request of the protocol", encodeFrame({ id: 1, ping: true }, { bytesMax: 1_000 })],
  ["a web browser", Buffer.from(`POST / HTTP/1.1\r\nHost: localhost\r\n\r\n${"x".repeat(100)}`)],
  ["random bytes", systemRandom.bytes(4_096)],
])("%s before the handshake is never parsed, and the connection ends", async (_, bytes) => {
  const { received, channels, port, token } = await startOwner();
  const { socket, got, ended } = await dial(port);
  socket.write(Buffer.concat([bytes, Buffer.alloc(64)]));
  await ended;
  expect([received, channels]).toEqual([[], []]);
  // A nonce and a proof, which reveal nothing; never the token or data.
  expect(got().byteLength).toBe(64);
  expect(got().includes(token)).toBe(false);
});

test("a peer that says nothing is let go, and a wrong token opens nothing", async () => {
  const { received, port } = await startOwner();
  const { socket } = await dial(port);
  socket.removeAllListeners("data");
  const wrong = { ...common, socket, token: Buffer.alloc(32, 7) };
  await expect(proveAsClient(wrong)).rejects.toMatchObject({ code: "node_refused" });
  const silent = await dial(port);
  await silent.ended; // after the time that a handshake may take
  expect(received).toEqual([]);
});

test("others that open connections and send nothing keep no client out", async () => {
  // For this owner no time passes: none of them is let go because it was silent too long.
  const { port } = await startOwner(createTestClock());
  const silent = [];
  for (let count = 0; count < connectionsMax + 10; count++) silent.push(await dial(port));
  const connectUntil = async () => {
    const channel = await openPoint().connect();
    return channel && (await ask(channel, "hello"));
  };
  await expect.poll(connectUntil).toBe("hello");
  await silent[0]!.ended; // the oldest made room
});

test("a file that names a port of a stranger: the token is not sent to it, and nobody is found", async () => {
  const { file, port } = await startOwner();
  const { createServer } = await import("node:net");
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      heard.push(chunk);
      socket.write(Buffer.alloc(64, 1)); // a proof of nothing
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = JSON.parse(readFileSync(file, "utf8")) as { port: number; token: string };
  const strange = { ...address, port: (server.address() as { port: number }).port };
  expect(strange.port).not.toBe(port);
  writeFileSync(file, JSON.stringify(strange));
  expect(await openPoint().connect()).toBeUndefined();
  expect(Buffer.concat(heard).byteLength).toBe(32);
  expect(Buffer.concat(heard).includes(Buffer.from(address.token, "hex"))).toBe(false);
});

test("a frame that is too long, or is not JSON, ends the connection before it is read", async () => {
  const { received, port, token } = await startOwner();
  for (const bytes of [
    Buffer.from([0xff, 0xff, 0xff, 0xff]),
    Buffer.concat([Buffer.from([0, 0, 0, 4]), Buffer.from("nope")]),
  ]) {
    const { socket, ended } = await dial(port);
    socket.removeAllListeners("data");
    socket.pause();
    await proveAsClient({ ...common, socket, token });
    socket.resume();
    socket.write(bytes);
    await ended;
  }
  expect(received).toEqual([]);
});

test("frames: whole messages whatever the chunks, and a limit on both sides", () => {
  const messages = [{ a: 1 }, "ü".repeat(1_000), [], { deep: [{ x: null }] }];
  const bytes = Buffer.concat(messages.map((one) => encodeFrame(one, { bytesMax: 10_000 })));
  for (const size of [1, 3, 7, 4_096]) {
    const reader = createFrameReader({ bytesMax: 10_000 });
    const found: unknown[] = [];
    for (let at = 0; at < bytes.byteLength; at += size) {
      found.push(...reader.take(bytes.subarray(at, at + size)));
    }
    expect(found).toEqual(messages);
  }
  expect(() => encodeFrame("x".repeat(100), { bytesMax: 50 })).toThrow(RangeError);
  const reader = createFrameReader({ bytesMax: 50 });
  expect(() => reader.take(Buffer.from([0, 0, 0, 51]))).toThrow(/51 bytes; 50 are allowed/u);
  expect(messageBytesMax).toBeLessThan(2 ** 31);
});

test("the lock is refused where this user may not write it, rather than held by nobody", async () => {
  {
    using lock = openPoint().tryLock();
    expect(lock?.isInPlace()).toBe(true);
  }
  if (process.getuid?.() !== 0) {
    chmodSync(join(folder, "node/owner.db"), 0o444);
    expect(() => openPoint().tryLock()).toThrow(expect.objectContaining({ code: "node_lock" }));
    return;
  }
  // Root may write everywhere, so a process tries that becomes another user. It loads the program before,
  // because another user may not be able to read this checkout.
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "node"), 0o755);
  chmodSync(join(folder, "node/owner.db"), 0o444);
  const module = new URL("./folder-lock.ts", import.meta.url).href;
  const script = `import { tryLockFile } from ${JSON.stringify(module)};
    tryLockFile(process.argv[2])?.[Symbol.dispose]();
    process.setgroups([]), process.setgid(65534), process.setuid(65534);
    try { tryLockFile(process.argv[1]); } catch (error) { process.stdout.write(error.code); }`;
  const files = [join(folder, "node/owner.db"), join(folder, "node/other.db")];
  const args = ["--input-type=module", "-e", script, ...files];
  const tried = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(tried.stdout, tried.stderr).toBe("node_lock");
});
