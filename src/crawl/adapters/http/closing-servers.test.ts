/**
 * Servers that close the connection, in every phase of an answer, however the answer is framed and
 * packed: a whole body is a page, a cut one is `reset`, and no event of a socket ends the process
 * (the runner fails on an uncaught error).
 */
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import * as zlib from "node:zlib";
import { expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import type { FetchOutcome } from "../../fetcher.ts";
import { createHttpFetcher } from "./http-fetcher.ts";

const encodings: Readonly<Record<string, (page: Buffer) => Buffer>> = {
  identity: (page) => page,
  gzip: (page) => zlib.gzipSync(page),
  br: (page) =>
    zlib.brotliCompressSync(page, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  deflate: (page) => zlib.deflateSync(page),
  "raw deflate": (page) => zlib.deflateRawSync(page),
};
const framings = ["content-length", "chunked", "until close"] as const;
const finAfterMs = [0, 1, 3, 10];
const cuts = [
  "before the head",
  "in the head",
  "after the head",
  "in the body",
  "at its last byte",
] as const;

type Framing = (typeof framings)[number];
type Cut = (typeof cuts)[number];

interface Answer {
  readonly encoding: string;
  readonly framing: Framing;
  readonly isAnnounced: boolean;
  readonly body: Buffer;
}

const cases = Object.keys(encodings).flatMap((encoding) =>
  [1_000, 200_000].map((size) => ({ encoding, size })),
);

test.each(cases)("$size bytes, $encoding: a whole body is a page", async ({ encoding, size }) => {
  const page = pageOf(size);
  for (const answer of answersOf(encoding, page)) {
    for (const afterMs of finAfterMs) {
      const outcome = await fetchFrom((socket) => {
        socket.write(Buffer.concat([headOf(answer), framed(answer)]));
        if (afterMs === 0) socket.end();
        else systemClock.setTimer(afterMs, () => socket.end());
      });
      expect(reported(outcome, page), `${describe(answer)}, FIN after ${afterMs} ms`).toBe(
        "the page",
      );
    }
  }
});

test.each(cases)(
  "$size bytes, $encoding: a truncated body is not a page",
  async ({ encoding, size }) => {
    const page = pageOf(size);
    for (const answer of answersOf(encoding, page)) {
      for (const cut of cuts) {
        // A truncated body cannot be detected if only the end of the connection marks its end.
        const isHidden = answer.framing === "until close" && encoding === "identity";
        if (isHidden && cut !== "before the head" && cut !== "in the head") continue;
        // Without a packed byte it is an empty page.
        if (answer.framing === "until close" && cut === "after the head") continue;
        for (const close of ["end", "resetAndDestroy"] as const) {
          const outcome = await fetchFrom((socket) => {
            socket.write(cutAnswer(answer, cut), () => socket[close]());
          });
          expect(reported(outcome, page), `${describe(answer)}, ${close} ${cut}`).toBe("reset");
        }
      }
    }
  },
);

test("packed data without its last bytes is a page if its framing says that it is whole", async () => {
  const page = pageOf(1_000);
  const body = zlib.gzipSync(page).subarray(0, -8);
  for (const framing of ["content-length", "chunked"] as const) {
    const answer: Answer = { encoding: "gzip", framing, isAnnounced: true, body };
    const outcome = await fetchFrom((socket) =>
      socket.end(Buffer.concat([headOf(answer), framed(answer)])),
    );
    expect(reported(outcome, page)).toBe("the page");
  }
});

test("zstd, which was not asked for, is refused as such", async () => {
  const page = pageOf(200_000);
  for (const answer of answersOf("identity", page)) {
    const packed = { ...answer, encoding: "zstd", body: zstdOf(page) };
    const outcome = await fetchFrom((socket) =>
      socket.end(Buffer.concat([headOf(packed), framed(packed)])),
    );
    expect(reported(outcome, page), describe(packed)).toBe("bad_content");
  }
});

/** Text that packs to about a tenth. */
function pageOf(size: number): Buffer {
  let text = "<!doctype html>";
  for (let row = 0; text.length < size; row++) text += `<li>Item ${row}: ${(row * 7919) % 10_007}`;
  return Buffer.from(text.slice(0, size));
}

/** A zstd frame (RFC 8878) of uncompressed blocks: Node 22.14 has no zstd of its own. */
function zstdOf(page: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUInt32LE(0xfd2fb528); // the magic number
  header.writeUInt8(0b1010_0000, 4); // one segment, its size in four bytes
  header.writeUInt32LE(page.length, 5);
  const parts: Buffer[] = [header];
  const bytesMax = 128 * 1024;
  for (let at = 0; at < page.length; at += bytesMax) {
    const block = page.subarray(at, at + bytesMax);
    const isLast = at + bytesMax >= page.length;
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    parts.push(blockHeader, block);
  }
  return Buffer.concat(parts);
}

const answersOf = (encoding: string, page: Buffer): readonly Answer[] =>
  framings.flatMap((framing) =>
    [true, false].map((isAnnounced) => {
      const body = encodings[encoding]!(page);
      return { encoding, framing, isAnnounced, body };
    }),
  );

function headOf({ encoding, framing, isAnnounced, body }: Answer): Buffer {
  const lines = ["HTTP/1.1 200 OK", "content-type: text/html"];
  if (encoding !== "identity") lines.push(`content-encoding: ${encoding.replace("raw ", "")}`);
  if (framing === "content-length") lines.push(`content-length: ${body.length}`);
  if (framing === "chunked") lines.push("transfer-encoding: chunked");
  if (isAnnounced) lines.push("connection: close");
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
}

function framed({ framing, body }: Answer): Buffer {
  if (framing !== "chunked") return body;
  const half = body.length >> 1;
  const pieces = [body.subarray(0, half), body.subarray(half)].flatMap((piece) => [
    Buffer.from(`${piece.length.toString(16)}\r\n`),
    piece,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")]);
}

function cutAnswer(answer: Answer, cut: Cut): Buffer {
  const head = headOf(answer);
  const body = framed(answer);
  switch (cut) {
    case "before the head":
      return Buffer.alloc(0);
    case "in the head":
      return head.subarray(0, head.length >> 1);
    case "after the head":
      return head;
    case "in the body":
      return Buffer.concat([head, body.subarray(0, (body.length * 2) / 3)]);
    case "at its last byte":
      return Buffer.concat([head, body.subarray(0, -1)]);
  }
}

const describe = ({ encoding, framing, isAnnounced }: Answer): string =>
  `${encoding}, ${framing}, close ${isAnnounced ? "announced" : "not announced"}`;

function reported(outcome: FetchOutcome, page: Buffer): string {
  if (outcome.kind === "failed") return outcome.reason;
  if (outcome.kind !== "found") return outcome.kind;
  return page.equals(outcome.body) ? "the page" : `${outcome.body.length} of ${page.length} bytes`;
}

/** Each time a server and a connection of its own, so that no answer meets the end of another. */
async function fetchFrom(answer: (socket: Socket) => void): Promise<FetchOutcome> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await using fetcher = createHttpFetcher({
    userAgent: "forager/1",
    allowPrivateNetworks: ["127.0.0.1"],
  });
  const outcome = await fetcher.fetch({
    url: `http://127.0.0.1:${port}/`,
    limits: { totalMs: 10_000 },
  });
  server.close();
  return outcome;
}
