import { createSocket, type Socket } from "node:dgram";
import { isIP } from "node:net";
import { AppError } from "../../../base/app-error.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { formatAddress, parseAddress } from "../../address.ts";
import { portDefault, type Transport } from "../../transport.ts";

export interface UdpTransportOptions {
  /** An address of this machine; 0.0.0.0 or :: for all. */
  readonly host: string;
  /** 0: any free port. */
  readonly port?: number;
  readonly log: Logger;
}

/** Room for the burst after a network partition; the system may grant less. */
const bufferBytes = 2 * 2 ** 20;

/** One UDP socket, of IPv4 or of IPv6. It does not keep the process alive. */
export async function openUdpTransport(options: UdpTransportOptions): Promise<Transport> {
  const { host, port = portDefault, log } = options;
  const family = isIP(host);
  if (family === 0) throw notBound(options, "it is not a numeric address");
  const socket = createSocket({
    type: family === 6 ? "udp6" : "udp4",
    ipv6Only: family === 6,
    // Addresses are numeric here, so no name is resolved.
    lookup: (name, _options, answer) => answer(null, name, family),
  });
  await bind(socket, options, port);
  socket.unref();
  const bound = socket.address();
  const address = formatAddress({ host: bound.address, port: bound.port });
  let failures = 0;
  let isOver = false;
  const fail = (error: Error | null) => {
    if (!error || isOver) return;
    failures += 1;
    log.debug("a packet was not sent", { reason: error.message });
  };
  socket.on("error", fail); // continue after an unreachable address
  return {
    address: () => address,
    send(to, packet) {
      const place = parseAddress(to);
      if (isOver || !place || isIP(place.host) !== family) return void (failures += 1);
      try {
        socket.send(packet, place.port, place.host, fail);
      } catch (error) {
        fail(error as Error);
      }
    },
    listen(listener) {
      socket.removeAllListeners("message");
      socket.on("message", (packet, { address: from, port: fromPort }) =>
        listener(formatAddress({ host: from, port: fromPort }), packet),
      );
    },
    failed: () => failures,
    async [Symbol.asyncDispose]() {
      if (isOver) return;
      isOver = true;
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

async function bind(socket: Socket, options: UdpTransportOptions, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error) => {
      socket.close();
      reject(notBound({ ...options, port }, error.message));
    };
    socket.once("error", failed);
    socket.bind({ address: options.host, port, exclusive: true }, () => {
      socket.off("error", failed);
      resolve();
    });
  });
  try {
    socket.setRecvBufferSize(bufferBytes);
  } catch {
    // a smaller buffer loses a few more packets, which are repaired
  }
}

const notBound = ({ host, port = portDefault }: UdpTransportOptions, reason: string) =>
  new AppError(
    "unavailable",
    "gossip_not_bound",
    `gossip cannot use ${host} port ${port}: ${reason}; choose another gossip.port or gossip.host`,
  );
