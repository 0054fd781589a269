import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A TCP proxy to a server that can be cut: connections break, and new ones are refused. */
export interface TcpGap extends AsyncDisposable {
  /** The address of the server through the proxy. */
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** New connections lead to this server from now on. */
  redirect(url: string): void;
}

export async function createTcpGap(url: string): Promise<TcpGap> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  let port = 0;
  let server: Server | undefined;

  async function mend(): Promise<void> {
    server = createServer((from) => {
      const to = connect({ host: target.hostname, port: Number(target.port) });
      for (const socket of [from, to]) {
        sockets.add(socket);
        socket.setNoDelay(true);
        socket.on("error", () => {});
        socket.on("close", () => {
          sockets.delete(socket);
          from.destroy();
          to.destroy();
        });
      }
      from.pipe(to);
      to.pipe(from);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  }
  async function cut(): Promise<void> {
    const closed = server && once(server, "close");
    server?.close();
    for (const socket of sockets) socket.destroy();
    await closed;
    server = undefined;
  }
  await mend();
  const way = new URL(url);
  way.hostname = "127.0.0.1";
  way.port = String(port);
  return {
    url: way.href,
    cut,
    mend,
    redirect: (other) => void (target = new URL(other)),
    [Symbol.asyncDispose]: async () => (server ? cut() : undefined),
  };
}
