import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

interface Connection {
  readonly socket: Socket;
  /** The request that is being answered, or that is still on its way. */
  request?: IncomingMessage | undefined;
}

/**
 * Keeps a server open to new connections while somebody holds many that do nothing. Above `max`, the
 * oldest connection is cut that has sent no whole request; if there is none, the oldest that does not
 * read its answer. Only if all others are being answered, the new one is refused.
 */
export function limitConnections(server: Server, max: number): void {
  /** The oldest first. With TLS, the socket of a request is another object than that of its connection. */
  const connections = new Map<string, Connection>();
  server.on("connection", (socket) => {
    const key = keyOf(socket);
    connections.set(key, { socket });
    socket.once("close", () => connections.delete(key));
    if (connections.size <= max) return;
    const all = [...connections.values()];
    const isWaitedFor = ({ request }: Connection) => request?.complete !== true;
    const isNotReading = (one: Connection) => one.socket.writableLength > 0;
    (all.slice(0, -1).find(isWaitedFor) ?? all.find(isNotReading) ?? all.at(-1)!).socket.destroy();
  });
  server.on("request", (request, response) => {
    const connection = connections.get(keyOf(request.socket));
    if (!connection) return;
    connection.request = request;
    response.once("close", () => {
      if (connection.request === request) connection.request = undefined;
    });
  });
}

const keyOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
