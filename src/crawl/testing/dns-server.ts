/** A DNS server on loopback that answers each question for an A record as it is told to. */
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { Resolve } from "../adapters/http/guarded-lookup.ts";

export interface DnsServer extends AsyncDisposable {
  /** Asks this server and no other. */
  readonly resolve: Resolve;
  readonly questions: string[];
}

/** `answer` gets the name and how often it was asked for before. */
export async function startDnsServer(
  answer: (name: string, times: number) => readonly string[],
): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  socket.on("message", (message, from) => {
    const { name, end } = nameIn(message);
    const addresses = answer(name, questions.filter((one) => one === name).length);
    questions.push(name);
    const header = Buffer.from(message.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.fill(0, 8, 12);
    const records = addresses.map((address) =>
      // The name again (as a pointer), A, IN, no time to live, four bytes of address.
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
    );
    socket.send(
      Buffer.concat([header, message.subarray(12, end), ...records]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    questions,
    resolve: (hostname) => resolver.resolve4(hostname),
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
}

function nameIn(message: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), end: at + 5 };
}
