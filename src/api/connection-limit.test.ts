import { createServer, get, type RequestListener } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { limitConnections } from "./connection-limit.ts";

const answerWhole: RequestListener = (request, response) =>
  void request.resume().once("end", () => response.end("here"));

async function setUp(answer = answerWhole) {
  const server = createServer(answer);
  limitConnections(server, 5);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const open = async (text = "") => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let isCut = false;
    socket.once("close", () => (isCut = true));
    socket.on("error", () => {});
    await new Promise<void>((resolve) => socket.once("connect", resolve));
    socket.write(text);
    return { socket, isCut: () => isCut };
  };
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const headers = { connection: "close" };
      get({ port, host: "127.0.0.1", headers }, (response) => {
        let text = "";
        response.on("data", (part) => (text += String(part)));
        response.once("end", () => resolve(text));
      }).once("error", reject);
    });
  return { open, ask };
}

const read = ({ socket }: { readonly socket: Socket }) =>
  new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(String(bytes))));

test("connections without a whole request make way for new ones, the oldest first", async () => {
  const { open, ask } = await setUp();
  const silent = await open();
  const half = await open("GET / HTTP/1.1\r\nhost: a\r\n");
  const slowBody = await open("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc");
  const more = [await open(), await open()];
  expect(await ask()).toBe("here");
  await expect.poll(silent.isCut).toBe(true);
  for (let count = 0; count < 20; count++) {
    more.push(await open());
    expect(await ask()).toBe("here");
  }
  await expect.poll(() => [half, slowBody].map(({ isCut }) => isCut())).toEqual([true, true]);
});

test("a connection that is being answered is not cut; if all are, the new one is refused", async () => {
  const { open } = await setUp((_, response) => void response.writeHead(200).write("event"));
  const request = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
  const watching = [];
  for (let count = 0; count < 5; count++) {
    const one = await open(request);
    watching.push(one);
    expect(await read(one)).toContain("200 OK");
  }
  const late = await open(request);
  await expect.poll(late.isCut).toBe(true);
  expect(watching.map(({ isCut }) => isCut())).toEqual([false, false, false, false, false]);
});

test("one that does not read its answer makes way for others", async () => {
  const { open } = await setUp((_, response) => void response.end("x".repeat(30_000_000)));
  const stuck: Awaited<ReturnType<typeof open>>[] = [];
  for (let count = 0; count < 5; count++)
    stuck.push(await open("GET / HTTP/1.1\r\nhost: a\r\n\r\n"));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const late = await open("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  expect(await read(late)).toContain("200 OK");
  const isCut = () => {
    stuck[0]!.socket.resume();
    return stuck[0]!.isCut();
  };
  await expect.poll(isCut).toBe(true);
});
