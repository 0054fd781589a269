import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { openTestServe } from "../../../app/serve/testing/open-test-serve.ts";
import { systemClock } from "../../../base/clock.ts";
import { createTempFolder } from "../../../config/testing/temp-folder.ts";
import { registry } from "../../registry.ts";
import { runCli } from "../../frame/run-cli.ts";
import { createTestStream } from "../../testing/test-stream.ts";

/** Runs the real command line on a data folder, in this process. */
async function forager(data: string, argv: readonly string[], input = "") {
  const [stdout, stderr] = [createTestStream(), createTestStream()];
  const stdin = new PassThrough();
  stdin.end(input);
  const exitCode = await runCli({
    argv: ["--data", data, ...argv],
    registry,
    version: "1.2.3",
    stdin,
    stdout,
    stderr,
    env: {},
    cwd: data,
    home: data,
    clock: systemClock,
    signal: new AbortController().signal,
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

test("dashboard prints a link of the running server that opens a session once", async () => {
  const { paths, origin, serve } = await openTestServe();
  const data = paths.root();
  const file = paths.resolve("node", "api.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ origin, pid: process.pid });

  const reported = await forager(data, ["dashboard", "--json"]);
  expect(reported).toMatchObject({ exitCode: 0, stderr: "" });
  const { address, link } = JSON.parse(reported.stdout) as { address: string; link: string };
  expect(address).toBe(origin);
  expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
  expect((await fetch(link, { redirect: "manual" })).status).toBe(403);
  const opened = await forager(data, ["dashboard", "--open"]);
  expect(opened.stdout).toMatch(new RegExp(`^${origin}/login\\?code=\\w+\n$`));
  expect(opened.stderr).toContain("not opened: this is not a terminal");

  await serve.stop();
  expect(existsSync(file)).toBe(false);
  const none = await forager(data, ["dashboard"]);
  expect(none).toMatchObject({ exitCode: 1, stdout: "" });
  expect(none.stderr).toBe(
    `forager: no server is running for the data folder ${data}: start one with \`forager --data ${data} up\` or \`forager --data ${data} serve\`\n`,
  );
});

test("api sends a request and prints the answer; problems and wrong usage are reported", async () => {
  const { paths } = await openTestServe();
  const api = (argv: readonly string[], input?: string) =>
    forager(paths.root(), ["api", ...argv], input);
  const tasks = (...keys: string[]) =>
    JSON.stringify({ tasks: keys.map((key) => ({ kind: "page", key })) });
  const added = await api(["POST", "/api/queue/tasks", "--body", tasks("a", "b")]);
  expect(added).toMatchObject({ exitCode: 0, stderr: "" });
  const piped = await api(["POST", "/api/queue/tasks", "--body", "-", "--json"], tasks("c"));
  expect(piped.exitCode).toBe(0);
  const listed = await api(["GET", "/api/queue/tasks?kind=page", "--query", "limit=2"]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ rows: [{ key: "a" }, { key: "b" }] });

  const wrong = await api(["GET", "/api/queue/tasks", "--query", "limit=none"]);
  expect(wrong).toMatchObject({ exitCode: 1, stdout: "" });
  expect(wrong.stderr).toMatch(/^forager: the server answered 400: query\.limit: [^\n]+\n$/);
  const missing = await api(["GET", "/api/nothing", "--json"]);
  expect(missing).toMatchObject({ exitCode: 1, stdout: "" });
  expect(JSON.parse(missing.stderr)).toMatchObject({ error: { code: "no_route" } });

  const usage: readonly (readonly [readonly string[], string])[] = [
    [["FETCH", "/api/status"], "Allowed choices are GET"],
    [["GET", "status"], "'status' is not a path of the API"],
    [["GET", "/api/queue/tasks/{id}"], "write a value instead of {id}"],
    [["GET", "/api/status", "--query", "cluster"], "--query takes key=value, not 'cluster'"],
    [["GET", "/api/status", "--body", "{}"], "GET takes no --body"],
    [["POST", "/api/queue/tasks", "--body", "{"], "the body is not JSON"],
  ];
  for (const [argv, words] of usage) {
    const { exitCode, stderr } = await api(argv);
    expect(stderr).toContain(words);
    expect(exitCode).toBe(2);
  }

  writeFileSync(paths.resolve("node", "api.token"), "another\n");
  const refused = await api(["GET", "/api/status"]);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(`restart \`forager --data ${paths.root()} serve\``);
});

test("the file of a killed server is recognised, and a stranger on its port gets nothing", async () => {
  const data = createTempFolder({ "node/api.token": "secret\n" });
  let requests = 0;
  const stranger = createServer((_, response) => void (requests++, response.end("{}")));
  await new Promise<void>((resolve) => void stranger.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const show = (origin: string, pid: number) => {
    const text = JSON.stringify({ format: 1, origin, pid });
    writeFileSync(`${data}/node/api.json`, text);
    return forager(data, ["api", "GET", "/api/status"]);
  };
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const none = { exitCode: 1, stderr: expect.stringContaining("no server is running") as string };
  expect(await show(`http://127.0.0.1:${port}`, pid)).toMatchObject(none);
  expect(await show(`http://example.org:${port}`, process.pid)).toMatchObject(none);
  expect(requests).toBe(0);
  expect((await show(`http://127.0.0.1:${port}`, process.pid)).exitCode).toBe(0);
  await new Promise((resolve) => {
    stranger.close(resolve);
    stranger.closeAllConnections();
  });
  expect(await show(`http://127.0.0.1:${port}`, process.pid)).toMatchObject(none);
});
