import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { systemRandom } from "../base/random.ts";
import { createPaths } from "../config/index.ts";
import {
  lookIntoWindows,
  nonceHeader,
  proofHeader,
  proofOf,
  type WindowFile,
} from "./look-into-windows.ts";
import { createNodeWindow } from "./node-window.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-window-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const windows = () => join(folder, "fleet", "windows");

function open(text: string, isKeeper = false) {
  let news = 0;
  const window = createNodeWindow({
    paths: createPaths(folder),
    random: systemRandom,
    pid: process.pid,
    show: () => text,
    isKeeper: () => isKeeper,
    onNews: () => void (news += 1),
  });
  return { window, news: () => news };
}

const look = async () => [...(await lookIntoWindows(createPaths(folder)))].sort();

test("every process of a node is seen, until it ends", async () => {
  expect(await look()).toEqual([]);
  const [a, b] = [open("a"), open("b")];
  await a.window.start();
  await b.window.start();
  expect(await look()).toEqual(["a", "b"]);
  expect(await a.window.lookAtOthers()).toEqual(["b"]);
  await b.window.stop();
  expect(await look()).toEqual(["a"]);
  await a.window.stop();
  expect([await look(), readdirSync(windows())]).toEqual([[], []]);
});

test("what is news goes to the one that speaks for the node, if there is one", async () => {
  const [a, b, keeper] = [open("a"), open("b"), open("c", true)];
  await a.window.start();
  await b.window.start();
  expect(await a.window.isKeptByOther(true)).toBe(false);
  await keeper.window.start();
  expect(await a.window.isKeptByOther(false)).toBe(true);
  expect(keeper.news()).toBe(0);
  expect(await a.window.isKeptByOther(true)).toBe(true);
  expect([a.news(), b.news(), keeper.news()]).toEqual([0, 0, 1]);
  expect(await keeper.window.isKeptByOther(true)).toBe(false);
  for (const { window } of [a, b, keeper]) await window.stop();
});

test("nobody sees anything who cannot read the folder", async () => {
  const { window } = open("secret");
  await window.start();
  const [name] = readdirSync(windows());
  const { port, token } = JSON.parse(readFileSync(join(windows(), name!), "utf8")) as WindowFile;
  const nonce = "0".repeat(32);
  for (const headers of [
    {},
    { authorization: `Bearer ${token}` },
    { [nonceHeader]: nonce, [proofHeader]: "" },
    { [nonceHeader]: nonce, [proofHeader]: proofOf("another", "asks", nonce) },
    { [nonceHeader]: nonce, [proofHeader]: proofOf(token, "answers", nonce) },
  ]) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers });
    expect([answer.status, await answer.text()]).toEqual([403, ""]);
  }
  await window.stop();
});

test("a stranger at the port of a process that was killed is not believed, and learns nothing", async () => {
  const heard: string[] = [];
  const stranger = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.writeHead(200, { [proofHeader]: String(request.headers[proofHeader]) }).end("forged");
  });
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const token = "t".repeat(52);
  mkdirSync(windows(), { recursive: true });
  const left = JSON.stringify({ format: 1, port, token, pid: process.pid });
  writeFileSync(join(windows(), "left.json"), left);
  expect(await look()).toEqual([]);
  const { window } = open("a");
  await window.start();
  expect(await window.isKeptByOther(true)).toBe(false);
  await window.stop();
  expect(heard).toHaveLength(2);
  expect(heard.join()).not.toContain(token);
});

test("what killed processes leave behind is passed over, and removed by the next one", async () => {
  mkdirSync(windows(), { recursive: true });
  const gone = { format: 1, port: 1, token: "t", pid: 2 ** 22 + 1 }; // no process has this number
  writeFileSync(join(windows(), "gone.json"), JSON.stringify(gone));
  writeFileSync(join(windows(), "torn.json"), '{"format":1,');
  const { window } = open("a");
  await window.start();
  expect(await look()).toEqual(["a"]);
  expect(readdirSync(windows())).not.toContain("gone.json");
  await window.stop();
});
