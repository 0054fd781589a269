import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import type { Random } from "../../../base/random.ts";
import type { Paths } from "../../../config/index.ts";
import type { Channel, MeetingPoint } from "../../meeting-point.ts";
import { tryLockFile } from "./folder-lock.ts";
import { proveAsClient, proveAsOwner } from "./handshake.ts";
import { readOwnerFile, removeOwnerFile, tokenBytes, writeOwnerFile } from "./owner-file.ts";
import { createSocketChannel } from "./socket-channel.ts";

export interface FolderMeetingPointOptions {
  readonly paths: Pick<Paths, "resolve">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly pid: number;
}

/** Connections at once. Above that, a new one replaces one that has not proved itself yet. */
export const connectionsMax = 256;
const host = "127.0.0.1";

/**
 * The processes of a data folder meet by `node/owner.db` (the lock) and `node/owner.json` (port and
 * token of the owner, mode 0600). They talk over a loopback socket rather than a socket file,
 * because a socket's path may have 108 bytes at most, and some file systems of memory cards have
 * no socket files.
 */
export function createFolderMeetingPoint(options: FolderMeetingPointOptions): MeetingPoint {
  const { paths, clock, random, log, pid } = options;
  const ownerFile = paths.resolve("node/owner.json");
  return {
    tryLock() {
      makeFolder(paths.resolve("node"), { mode: 0o700 });
      return tryLockFile(paths.resolve("node/owner.db"));
    },
    async listen(accept) {
      const token = random.bytes(tokenBytes);
      const server = await listenOnLoopback(async (socket) => {
        await proveAsOwner({ socket, token, clock, random });
        accept(createSocketChannel(socket));
      }, log);
      const { port } = server.address() as AddressInfo;
      try {
        await writeOwnerFile(ownerFile, { port, token, pid });
      } catch (error) {
        server.close();
        throw error;
      }
      return {
        async close() {
          server.close();
          await removeOwnerFile(ownerFile).catch(() => {}); // a stale file is recognised
        },
      };
    },
    async connect(): Promise<Channel | undefined> {
      const owner = await readOwnerFile(ownerFile);
      if (!owner) return undefined;
      const socket = connect({ host, port: owner.port });
      socket.on("error", () => {}).setNoDelay(true);
      try {
        await new Promise<void>((resolve, reject) => {
          socket.once("connect", resolve);
          socket.once("close", () => reject(new Error("no connection")));
        });
        await proveAsClient({ socket, token: owner.token, clock, random });
        return createSocketChannel(socket);
      } catch {
        // A killed process left its file: no process listens at the port, or another program does.
        socket.destroy();
        return undefined;
      }
    },
    lastOwner: async () => (await readOwnerFile(ownerFile))?.pid,
  };
}

async function listenOnLoopback(receive: (socket: Socket) => Promise<void>, log: Logger) {
  const open = new Set<Socket>();
  /** Any user of the machine can open connections; the oldest silent one goes first. */
  const unproved = new Set<Socket>();
  const close = (socket: Socket) => {
    open.delete(socket);
    unproved.delete(socket);
    socket.destroy();
  };
  const server = createServer((socket) => {
    socket.on("error", () => {}); // the `close` event that follows is enough
    if (open.size >= connectionsMax) {
      const [oldest] = unproved;
      if (!oldest) return void socket.destroy();
      close(oldest);
    }
    open.add(socket);
    unproved.add(socket);
    socket.once("close", () => close(socket));
    socket.setNoDelay(true).unref();
    receive(socket).then(
      () => unproved.delete(socket),
      (error: unknown) => {
        log.debug("a connection to this node was refused", { reason: String(error) });
        close(socket);
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port: 0 }, resolve);
  });
  return server.unref().on("error", () => {});
}
