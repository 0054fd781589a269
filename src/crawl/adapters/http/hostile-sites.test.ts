// process: own
/** Sites that are malicious, or broken in the same way: contained, and distinguished. */
import { createSecureServer } from "node:http2";
import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { FetchOutcome, FetchRequest } from "../../fetcher.ts";
import { textOf } from "../../charset.ts";
import { startDnsServer } from "../../testing/dns-server.ts";
import { createSelfSigned } from "../../testing/self-signed.ts";
import { redirectTo, startSiteServer, type SiteAnswer } from "../../testing/site-server.ts";
import { createHttpFetcher, type HttpFetcherOptions } from "./http-fetcher.ts";

const open = (more: Partial<HttpFetcherOptions> = {}) =>
  createHttpFetcher({ userAgent: "forager/1", allowPrivateNetworks: ["127.0.0.1"], ...more });

const packed =
  (encoding: string, body: Uint8Array): SiteAnswer =>
  (_, response) =>
    void response
      .writeHead(200, { "content-type": "text/html", "content-encoding": encoding })
      .end(body);

/** Alone: a whole outcome with its megabytes of body would be printed for minutes. */
const reasonIn = (outcome: FetchOutcome) =>
  outcome.kind === "failed" ? outcome.reason : outcome.kind;

/** Fetches from a site with one page, and says by how much the process grew at most. */
async function fetchFrom(page: SiteAnswer, request: Partial<FetchRequest> = {}) {
  await using site = await startSiteServer({ pages: { "/": page } });
  await using fetcher = open();
  const before = process.memoryUsage();
  let grown = 0;
  const watch = setInterval(() => {
    const now = process.memoryUsage();
    const used = now.heapUsed + now.external - before.heapUsed - before.external;
    grown = Math.max(grown, used);
  }, 2);
  try {
    const outcome = await fetcher.fetch({ url: `${site.origin}/`, ...request });
    return { outcome, grownMb: grown / 1024 / 1024 };
  } finally {
    clearInterval(watch);
  }
}

describe("packed bodies", () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const bombs: readonly (readonly [string, Uint8Array])[] = [
    ["gzip", gzipSync(zeros)],
    ["deflate", deflateSync(zeros)],
    ["br", brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
  ];
  test.each(bombs)(
    "a %s bomb is stopped early, whatever the limit of bytes",
    async (name, bomb) => {
      expect(bomb.length).toBeLessThan(zeros.length / 500);
      const { outcome, grownMb } = await fetchFrom(packed(name, bomb), {
        limits: { bytesMax: 1024 ** 3 },
      });
      expect(reasonIn(outcome)).toBe("bomb");
      expect(grownMb).toBeLessThan(50);
    },
  );

  test("a gzip bomb is too large where that comes first", async () => {
    const limits = { bytesMax: 500_000 };
    const { outcome } = await fetchFrom(packed("gzip", gzipSync(zeros)), { limits });
    expect(reasonIn(outcome)).toBe("too_large");
  });

  test.each([
    ["gzip", gzipSync("<p>Grüße</p>")],
    ["x-gzip", gzipSync("<p>Grüße</p>")],
    ["deflate", deflateSync("<p>Grüße</p>")],
    ["deflate", deflateRawSync("<p>Grüße</p>")],
    ["br", brotliCompressSync("<p>Grüße</p>")],
    ["identity", Buffer.from("<p>Grüße</p>")],
  ])("%s is unpacked", async (encoding, body) => {
    const { outcome } = await fetchFrom(packed(encoding, body));
    expect(outcome.kind === "found" && textOf(outcome).text).toBe("<p>Grüße</p>");
  });

  test.each([
    ["gzip", "this is not packed"],
    ["zstd", "we did not ask for it"],
    ["gzip, gzip", "nor for that"],
  ])("what claims to be %s and is not is no page", async (encoding, body) => {
    const { outcome } = await fetchFrom(packed(encoding, Buffer.from(body)));
    expect(outcome).toMatchObject({ kind: "failed", reason: "bad_content" });
  });
});

describe("bodies and headers without end", () => {
  test("an endless body is too large", async () => {
    const block = Buffer.alloc(64 * 1024, "x");
    const endless: SiteAnswer = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(block));
        if (!response.destroyed) response.once("drain", more);
      };
      response.on("error", () => {});
      more();
    };
    const { outcome, grownMb } = await fetchFrom(endless);
    expect(reasonIn(outcome)).toBe("too_large");
    expect(grownMb).toBeLessThan(40);
  });

  test("a packed body that is long and unpacks to nothing is too large", async () => {
    const emptyBlocks = Buffer.alloc(64 * 1024, Buffer.from([0, 0, 0, 0xff, 0xff]));
    const endless: SiteAnswer = (_, response) => {
      response.writeHead(200, { "content-encoding": "deflate" });
      const more = () => {
        while (!response.destroyed && response.write(emptyBlocks));
        if (!response.destroyed) response.once("drain", more);
      };
      response.on("error", () => {});
      response.write(Buffer.from([0x78, 0x9c]));
      more();
    };
    const { outcome } = await fetchFrom(endless);
    expect(reasonIn(outcome)).toBe("too_large");
  });

  test("what arrives while a reader takes its time is kept, up to the limit of bytes", async () => {
    const pages = { "/": "x".repeat(3_000_000) };
    await using site = await startSiteServer({ pages });
    await using fetcher = open();
    const url = `${site.origin}/`;
    let read = 0;
    const onBody = async (chunk: Uint8Array) => {
      await new Promise((resolve) => setImmediate(resolve));
      read += chunk.length;
      return "more" as const;
    };
    expect((await fetcher.fetch({ url, onBody })).kind).toBe("found");
    expect(read).toBe(3_000_000);
    const never = () => new Promise<"more">(() => {});
    const limits = { bytesMax: 1_000_000 };
    expect(reasonIn(await fetcher.fetch({ url, limits, onBody: never }))).toBe("too_large");
  });

  test("a body of a million pieces of one letter takes no more memory than one of one piece", async () => {
    await using server = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const pieces = "1\r\nx\r\n".repeat(10_000);
      for (let at = 0; at < 100; at++) socket.write(pieces);
      socket.end("0\r\n\r\n");
    });
    await using fetcher = open();
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    const outcome = await fetcher.fetch({ url: server.url });
    const { arrayBuffers, external } = process.memoryUsage();
    expect(outcome.kind === "found" && outcome.body.length).toBe(1_000_000);
    expect((arrayBuffers + external - before) / 1024 / 1024).toBeLessThan(60);
  });

  test("a body that drips is out of time, though it never stands still", async () => {
    const drip: SiteAnswer = (_, response) => {
      const timer = setInterval(() => response.write("x"), 5);
      response.once("close", () => clearInterval(timer));
    };
    const { outcome } = await fetchFrom(drip, { limits: { totalMs: 150 } });
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
  });

  test("a body that stands still is out of time", async () => {
    const limits = { idleMs: 100, totalMs: 5_000 };
    const { outcome } = await fetchFrom((_, response) => response.write("<p>"), { limits });
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
  });

  test("headers that do not come are out of time", async () => {
    const { outcome } = await fetchFrom(() => {}, { limits: { headersMs: 100, totalMs: 5_000 } });
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
  });

  test("a missing page whose text never ends is still a missing page", async () => {
    const limits = { totalMs: 150 };
    const page: SiteAnswer = (_, response) => void response.writeHead(404).write("gone");
    const { outcome } = await fetchFrom(page, { limits });
    expect(outcome).toMatchObject({ kind: "failed", reason: "status", status: 404 });
  });

  test("a flood of headers ends the connection", async () => {
    await using server = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const more = () => {
        for (let at = 0; at < 1_000 && !socket.destroyed; at++)
          socket.write(`x-${at}: ${"y".repeat(100)}\r\n`);
        if (!socket.destroyed) setImmediate(more);
      };
      more();
    });
    await using fetcher = open();
    const outcome = await fetcher.fetch({ url: server.url });
    expect(outcome).toMatchObject({ kind: "failed", reason: "headers_too_large" });
  });

  test.each([
    ["SSH-2.0-OpenSSH_9.9\r\n", "bad_response"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort", "reset"],
    ["", "reset"],
  ])("what is no whole answer (%j) is no page", async (text, reason) => {
    await using server = await startRawServer((socket) => socket.end(text));
    await using fetcher = open();
    expect(await fetcher.fetch({ url: server.url })).toMatchObject({ kind: "failed", reason });
  });
});

describe("ways into private networks", () => {
  test.each(["http://127.0.0.1/", "http://169.254.169.254/latest/", "http://[::ffff:10.0.0.1]/"])(
    "a redirect to %s is not followed",
    async (target) => {
      const address = "127.0.0.2";
      await using site = await startSiteServer({ pages: { "/": redirectTo(target) }, address });
      await using fetcher = open({ allowPrivateNetworks: [address] });
      const url = `${site.origin}/`;
      const outcome = await fetcher.fetch({ url });
      expect(outcome).toMatchObject({ kind: "failed", reason: "private_address", hops: [url] });
    },
  );

  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
    "http://0.0.0.0/",
    "http://169.254.169.254/",
  ])("%s is not asked for anything", async (url) => {
    await using fetcher = open({ allowPrivateNetworks: [] });
    expect(await fetcher.fetch({ url })).toMatchObject({ reason: "private_address" });
  });

  test("a name that leads to private addresses is not connected to", async () => {
    await using site = await startSiteServer({ pages: { "/": "secret" } });
    await using dns = await startDnsServer(() => ({ a: ["127.0.0.1", "10.0.0.1"] }));
    await using fetcher = open({ allowPrivateNetworks: [], resolve: dns.resolve });
    const outcome = await fetcher.fetch({ url: `http://inside.example:${site.port}/` });
    expect(outcome).toMatchObject({ kind: "failed", reason: "private_address" });
    expect(dns.questions).toEqual(["A inside.example"]);
    expect(site.connections()).toBe(0);
  });

  test("a name that is harmless when asked first, and private later, is judged each time", async () => {
    await using site = await startSiteServer({ pages: { "/": "<p>there</p>" } });
    await using inside = await startSiteServer({ pages: { "/": "secret" } });
    // 127.0.0.1 plays a public address here, 127.0.0.2 a private one.
    await using dns = await startDnsServer((_, times) => ({
      a: [times === 0 ? "127.0.0.1" : "127.0.0.2"],
    }));
    await using fetcher = open({ resolve: dns.resolve });
    const first = await fetcher.fetch({ url: `http://turn.example:${site.port}/` });
    const second = await fetcher.fetch({ url: `http://turn.example:${inside.port}/` });
    expect(first.kind).toBe("found");
    expect(second).toMatchObject({ kind: "failed", reason: "private_address" });
    expect(dns.questions.length).toBe(2);
  });

  test("a name with no address is distinguished", async () => {
    await using dns = await startDnsServer(() => ({}));
    await using fetcher = open({ resolve: dns.resolve });
    const outcome = await fetcher.fetch({ url: "http://nowhere.example/" });
    expect(outcome).toMatchObject({ kind: "failed", reason: "dns" });
  });
});

describe("TLS", () => {
  test("a certificate that nobody vouches for is refused; one that we know is not", async () => {
    const own = createSelfSigned("shop.example");
    await using site = await startSiteServer({ pages: { "/": "<p>safe</p>" }, tls: own });
    await using wary = open();
    const outcome = await wary.fetch({ url: `${site.origin}/` });
    expect(outcome).toMatchObject({ kind: "failed", reason: "tls" });
    expect(site.requests).toEqual([]);
    await using trusting = open({ certificates: [own.cert] });
    expect((await trusting.fetch({ url: `${site.origin}/` })).kind).toBe("found");
  });

  test("a certificate of another name is refused", async () => {
    const own = createSelfSigned("shop.example");
    await using site = await startSiteServer({ pages: { "/": "" }, tls: own });
    await using fetcher = open({ certificates: [own.cert], resolve: async () => ["127.0.0.1"] });
    const at = (name: string) => fetcher.fetch({ url: `https://${name}:${site.port}/` });
    expect((await at("shop.example")).kind).toBe("found");
    expect(await at("bank.example")).toMatchObject({ kind: "failed", reason: "tls" });
  });

  test("a server that does not speak TLS is refused", async () => {
    await using site = await startSiteServer({ pages: { "/": "" } });
    await using fetcher = open();
    const outcome = await fetcher.fetch({ url: `https://127.0.0.1:${site.port}/` });
    expect(outcome).toMatchObject({ kind: "failed", reason: "tls" });
  });
});

test("a server that offers HTTP/2 is spoken to in HTTP/1.1", async () => {
  const own = createSelfSigned("shop.example");
  const versions: string[] = [];
  const server = createSecureServer({ ...own, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    response.end("<p>safe</p>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  {
    await using fetcher = open({ certificates: [own.cert] });
    const { port } = server.address() as AddressInfo;
    expect((await fetcher.fetch({ url: `https://127.0.0.1:${port}/` })).kind).toBe("found");
  }
  server.close();
  expect(versions).toEqual(["1.1"]);
});

async function startRawServer(onConnection: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => onConnection(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
