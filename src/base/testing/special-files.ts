import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { lstatSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";

/** Creates something at a path that is not a regular file. */
export interface SpecialFile {
  /** How messages name it. */
  readonly words: string;
  make(path: string): Promise<AsyncDisposable>;
}

/** `elsewhere`: the target of the link. */
export const linkTo = (elsewhere: string): SpecialFile => ({
  words: "a symbolic link",
  async make(path) {
    symlinkSync(elsewhere, path);
    return gone(path);
  },
});

export const namedPipe: SpecialFile = {
  words: "a named pipe",
  async make(path) {
    execFileSync("mkfifo", [path]);
    return gone(path);
  },
};

export const socket: SpecialFile = {
  words: "a socket",
  async make(path) {
    const server = createServer().listen(path);
    await once(server, "listening");
    return {
      async [Symbol.asyncDispose]() {
        server.close();
        await once(server, "close");
      },
    };
  },
};

/**
 * A device that reads as endless zeros: a device file if we may create one, otherwise a link to
 * one.
 */
export const device: SpecialFile = canMakeDevices()
  ? {
      words: "a device",
      async make(path) {
        execFileSync("mknod", [path, "c", "1", "5"]);
        return gone(path);
      },
    }
  : linkTo("/dev/zero");

function canMakeDevices(): boolean {
  const path = `/tmp/forager-device-${process.pid}`;
  try {
    execFileSync("mknod", [path, "c", "1", "5"], { stdio: "ignore" });
    return lstatSync(path).isCharacterDevice();
  } catch {
    return false;
  } finally {
    rmSync(path, { force: true });
  }
}

const gone = (path: string): AsyncDisposable => ({
  [Symbol.asyncDispose]: async () => rmSync(path, { force: true }),
});
