import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { Resolve } from "../adapters/http/guarded-lookup.ts";

/** The records of a name. A name without an entry does not exist. */
export interface DnsZoneEntry {
  /** `[10, "mail.a.example"]`; `[0, "."]` is a null MX. */
  readonly mx?: readonly (readonly [number, string])[];
  readonly a?: readonly string[];
  /** An error code instead of an answer: 2 is SERVFAIL, 5 is REFUSED. */
  readonly code?: number;
  /** No answer at all. */
  readonly isSilent?: boolean;
}

export interface DnsServer extends AsyncDisposable {
  /** Queries only this server for addresses. */
  readonly resolve: Resolve;
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** The queries it has received, in order: `MX a.example`. */
  readonly questions: readonly string[];
}

const types: Readonly<Record<number, string>> = { 1: "A", 15: "MX", 28: "AAAA" };

/** A function gets the name and how often it was queried before. */
export type DnsZone =
  | Readonly<Record<string, DnsZoneEntry>>
  | ((name: string, times: number) => DnsZoneEntry | undefined);

/** A DNS server on loopback (RFC 1035 over UDP) with these records. */
export async function startDnsServer(zone: DnsZone): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const question = `${types[type] ?? type} ${name}`;
    const times = questions.filter((one) => one === question).length;
    questions.push(question);
    const entry = typeof zone === "function" ? zone(name, times) : zone[name];
    if (entry?.isSilent === true) return;
    const answers = entry ? recordsOf(entry, type) : [];
    const code = entry ? (entry.code ?? 0) : 3;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2); // an answer, recursion available
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(code === 0 ? answers.length : 0, 6);
    header.writeUInt32BE(0, 8); // no authority and no additional records
    const parts = [header, query.subarray(12, end), ...(code === 0 ? answers : [])];
    socket.send(Buffer.concat(parts), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    resolve: (hostname) => resolver.resolve4(hostname),
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  while (query[at]! > 0) {
    const length = query[at]!;
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join(".").toLowerCase();
  return { name, type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordsOf({ mx = [], a = [] }: DnsZoneEntry, type: number): readonly Buffer[] {
  if (type === 1) return a.map((address) => recordOf(type, Buffer.from(address.split(".").map(Number)))); // prettier-ignore
  if (type !== 15) return [];
  return mx.map(([priority, exchange]) => {
    const number = Buffer.alloc(2);
    number.writeUInt16BE(priority);
    return recordOf(type, Buffer.concat([number, nameBytes(exchange)]));
  });
}

/** The record's name is a pointer to the name in the question. */
function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4); // class IN
  head.writeUInt32BE(0, 6); // time to live: do not cache
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split(".")
      .filter((label) => label !== "")
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")])),
    Buffer.from([0]),
  ]);
