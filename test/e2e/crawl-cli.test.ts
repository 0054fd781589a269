// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startSiteServer, type SiteServer } from "../../src/crawl/testing/site-server.ts";
import { createSandbox, type RunOptions, type Sandbox } from "../support/built-cli.ts";

const pageCount = 40;
let sandbox: Sandbox;
let site: SiteServer;
beforeEach(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
  const pages = Object.fromEntries(
    Array.from({ length: pageCount }, (_, at) => {
      const links = [2 * at + 1, 2 * at + 2].filter((one) => one < pageCount);
      const html = `<title>Page ${at}</title>${links.map((one) => `<a href="/p/${one}">${one}</a>`).join("")}`;
      return [at === 0 ? "/" : `/p/${at}`, html];
    }),
  );
  site = await startSiteServer({ pages });
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  sandbox.remove();
});

const crawl = (line: string, options: RunOptions = {}) =>
  sandbox.forager(
    ["crawl", ...line.split(" ").filter(Boolean), "--contact", "a@b.example", "--allow-address", "127.0.0.1", "--data", "d"], // prettier-ignore
    options,
  );
/** How often each page was asked for, without robots.txt. */
const asked = () => {
  const counts = new Map<string, number>();
  for (const { path } of site.requests) counts.set(path, (counts.get(path) ?? 0) + 1);
  counts.delete("/robots.txt");
  return counts;
};
const untilAsked = async (count: number) =>
  expect.poll(() => asked().size, { interval: 5 }).toBeGreaterThanOrEqual(count);
interface Reported {
  readonly summary: { readonly pages: number; readonly found: number };
  readonly pages: readonly { readonly url: string; readonly linksIn: number }[];
}

describe("forager crawl", () => {
  test("killed with -9 it continues where it was: every page is reported, at most one was requested twice", async () => {
    const lease = { FORAGER_QUEUE_LEASE_MS: "5000" };
    const killed = await crawl(`${site.origin} --delay 20ms`, {
      env: lease,
      onStart: (kill) => void untilAsked(10).then(() => kill("SIGKILL")),
    });
    expect(killed.exitCode).toBeNull();
    const before = asked().size;
    expect(before).toBeLessThan(pageCount);

    const refused = await crawl(`${site.origin}`);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("--resume")]);
    const { exitCode, stdout, stderr } = await crawl("--resume --json", { env: lease });
    expect(exitCode, stderr).toBe(0);
    const [reported] = JSON.parse(stdout) as readonly Reported[];
    expect(reported?.summary).toMatchObject({ pages: pageCount, found: pageCount });
    expect(reported?.pages.filter(({ linksIn }) => linksIn === 1)).toHaveLength(pageCount - 1);
    const counts = [...asked().values()];
    expect(counts).toHaveLength(pageCount);
    expect(counts.filter((count) => count > 1).length).toBeLessThanOrEqual(1);
    const gaps = site.requests.slice(1).map(({ atMs }, at) => atMs - site.requests[at]!.atMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(18);
  });

  test("Ctrl-C leaves a crawl that --resume ends; no page is asked for twice", async () => {
    const stopped = await crawl(`${site.origin} --delay 20ms`, {
      onStart: (kill) => void untilAsked(5).then(() => kill("SIGINT")),
    });
    expect(stopped.exitCode).toBe(130);
    expect(stopped.stderr).toContain("--resume");
    expect(asked().size).toBeLessThan(pageCount);
    const line = ["crawl", site.origin, "--resume", "--format", "csv", "--data", "d"];
    const { exitCode, stdout, stderr } = await sandbox.forager(line);
    expect(exitCode, stderr).toBe(0);
    expect(stdout.trim().split("\r\n")).toHaveLength(pageCount + 1);
    expect([...asked().values()]).toEqual(Array.from({ length: pageCount }, () => 1));
    expect(stderr).toContain(`${pageCount} pages (${pageCount} found)`);
  });

  test("table, CSV and JSON; patterns; a budget; what is wrong on the line", async () => {
    const table = await crawl(`${site.origin} --delay 0 --exclude /p/1* --pages 3 --to pages.csv`);
    expect(table.exitCode, table.stderr).toBe(0);
    expect(table.stdout).toContain("3 pages (3 found)");
    expect(table.stdout).toContain("its budget of 3 pages left");
    const lines = readFileSync(join(sandbox.folder, "pages.csv"), "utf8").split("\r\n");
    expect(lines[0]).toMatch(/^url,state,status,depth,ms,bytes,links_in,links_out/);
    expect(lines.join("\n")).not.toContain("/p/1");
    const again = await crawl(`${site.origin} --resume`);
    expect(again.stdout).toMatch(/^url +state +status +depth/);
    expect((await crawl("")).stderr).toContain("which site?");
    expect((await crawl("--resume --pages 3")).stderr).toContain("--pages is for a new crawl");
    const nobody = await sandbox.forager(["crawl", site.origin, "--data", "d"]);
    expect([nobody.exitCode, nobody.stderr]).toEqual([2, expect.stringContaining("--contact")]);
    const noAddress = ["crawl", "example.org", "--contact", "nobody", "--data", "e"];
    const refused = await sandbox.forager(noAddress);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining("e-mail address"),
    ]);
    expect(existsSync(join(sandbox.folder, "e", "crawls"))).toBe(false);
  });

  test("says what depth, traps and budgets cut off, and marks pages that need scripts", async () => {
    const shell = `<head><script src="app.js"></script></head><div id="root"></div>`;
    const links = ["/near", "/app", "/x/x/x/", "/y/y/y/"];
    const start = links.map((path) => `<a href="${path}">${path}</a>`).join("");
    const pages = { "/": start, "/near": `<a href="/far">far</a>`, "/app": shell };
    await using deep = await startSiteServer({ pages });
    const reported = await crawl(`${deep.origin} --delay 0 --depth 1`);
    expect(reported.exitCode, reported.stderr).toBe(0);
    expect(reported.stderr).toContain("not requested: 1 link more than 1 clicks away (--depth), 2 links that look endless"); // prettier-ignore
    expect(reported.stderr).toContain("1 page almost empty without scripts");
    expect(reported.stdout).toMatch(/\/app .*\(needs scripts\)/);
    const json = await crawl(`${deep.origin} --delay 0 --pages 1 --json`);
    const [{ cuts }] = JSON.parse(json.stdout) as [{ cuts: object }];
    expect(cuts).toEqual({ depth: 0, traps: 2, budget: 2 });
  });

  test("a host without TLS is asked over http, unless https was asked for", async () => {
    const { host } = new URL(site.origin);
    const plain = await crawl(`${host} --delay 0 --pages 2`);
    expect(plain.exitCode, plain.stderr).toBe(0);
    expect(plain.stderr).toContain(`no TLS at https://${host}/: trying http://${host}/`);
    expect(plain.stdout).toContain(`http://${host}/p/1`);
    expect(plain.stderr).not.toContain("failed for good");
    const asked = await crawl(`https://${host}/ --delay 0`);
    expect(asked.exitCode).toBe(1);
    expect(asked.stdout).toContain("speaks plain http");
    expect(asked.stdout + asked.stderr).not.toContain("SSL routines");
  });

  test("a host whose https port gives no connection is asked over http, and that crawl is the one to resume", async () => {
    // A TLS handshake is cut off; a closed port ends the same way, see plain-http.test.ts.
    const plain = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<title>plain</title>");
    });
    const door = createTcpServer((socket) => {
      socket.once("data", (bytes) => {
        if (bytes[0] === 0x16) return socket.resetAndDestroy();
        socket.unshift(bytes);
        plain.emit("connection", socket);
      });
      socket.on("error", () => {});
    });
    door.listen(0, "127.0.0.1");
    await once(door, "listening");
    onTestFinished(() => void door.close());
    const host = `127.0.0.1:${(door.address() as AddressInfo).port}`;
    const reported = await crawl(`${host} --delay 0`);
    expect(reported.exitCode, reported.stderr).toBe(0);
    expect(reported.stderr).toContain(
      `no answer (reset) at https://${host}/: trying http://${host}/`,
    );
    expect(reported.stdout).toContain("plain");
    const failed = await sandbox.forager("queue list --state failed --data d".split(" "));
    expect(failed.stdout, failed.stderr).not.toContain(host);
    const again = await sandbox.forager(
      `crawl ${host} --resume --contact a@b.example --allow-address 127.0.0.1 --data d`.split(" "),
    );
    expect(again.stdout, again.stderr).toContain(`http://${host}/`);
  });

  test("a port that refuses both leaves one job, which has failed, and its reason", async () => {
    const reported = await crawl("127.0.0.1:1 --delay 0");
    expect(reported.exitCode, reported.stderr).toBe(1);
    expect(reported.stderr.split("trying http://127.0.0.1:1/")).toHaveLength(2); // once
    expect(reported.stdout).toMatch(/^http:\/\/127\.0\.0\.1:1\/ +failed .*ECONNREFUSED/m);
    const { stdout } = await sandbox.forager("queue jobs --data d".split(" "));
    expect(stdout.match(/^crawl-127\.0\.0\.1_1-.*$/gm)).toEqual([
      expect.stringMatching(/^\S+ +failed /),
    ]);
  });

  test("a private address is not visited unless it is allowed: nothing found is exit code 1", async () => {
    const args = ["crawl", site.origin, "--contact", "a@b.example", "--data", "d"];
    const { exitCode, stdout } = await sandbox.forager(args);
    expect([exitCode, asked().size]).toEqual([1, 0]);
    expect(stdout).toContain("not a public address");
  });
});
