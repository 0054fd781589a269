import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Services } from "./services.ts";
import { until } from "./until.ts";

/** A machine that is reached by ssh: a server on loopback, with a folder instead of a disk. */
export interface SshHost {
  readonly name: string;
  /** What `/opt/forager` of a command becomes on it. */
  readonly root: string;
  /** Ends all connections, and lets no new ones in. */
  cut(): void;
  heal(): void;
}

export interface SshHosts extends AsyncDisposable {
  readonly hosts: readonly SshHost[];
  /** A folder for the front of the PATH: its `ssh` knows these hosts and their keys. */
  readonly bin: string;
  readonly program: string;
}

/** Starts a real ssh server for each name. Connections go through a relay that can be cut. */
export async function startSshHosts(
  folder: string,
  names: readonly string[],
  programs: Services["sshd"],
): Promise<SshHosts> {
  const keygen = (file: string) =>
    execFileSync(programs.keygen, ["-q", "-t", "ed25519", "-N", "", "-f", file]);
  const key = join(folder, "user-key");
  keygen(key);
  keygen(join(folder, "host-key"));
  // Where a server runs as root it needs this folder, which the service makes on a real machine.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const started = await Promise.all(
    names.map((name) => startHost(name, { folder, server: programs.server })),
  );
  const lines = started.map(({ host, port }) => [`Host ${host.name}`, `  Port ${port}`]);
  // A host whose key nobody has seen.
  const stranger = ["Host pi-9", `  Port ${started[0]!.port}`, "  UserKnownHostsFile /dev/null", "  StrictHostKeyChecking yes"]; // prettier-ignore
  const common = [
    "Host pi-*",
    "  HostName 127.0.0.1",
    `  IdentityFile ${key}`,
    "  IdentitiesOnly yes",
    `  UserKnownHostsFile ${join(folder, "known-hosts")}`,
    "Host *",
    "  StrictHostKeyChecking accept-new",
  ];
  const config = join(folder, "ssh-config");
  writeFileSync(config, `${[...lines.flat(), ...stranger, ...common].join("\n")}\n`);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const program = join(bin, "ssh");
  writeFileSync(program, `#!/bin/sh\nexec ${programs.client} -F ${config} "$@"\n`);
  chmodSync(program, 0o755);
  return {
    hosts: started.map(({ host }) => host),
    bin,
    program,
    async [Symbol.asyncDispose]() {
      for (const { host, relay, server } of started) {
        host.cut();
        relay.close();
        server.kill("SIGKILL");
      }
    },
  };
}

interface StartedHost {
  readonly host: SshHost;
  readonly port: number;
  readonly relay: Server;
  readonly server: ChildProcess;
}

async function startHost(
  name: string,
  { folder, server: program }: { readonly folder: string; readonly server: string },
): Promise<StartedHost> {
  const own = join(folder, name);
  const root = join(own, "forager");
  mkdirSync(root, { recursive: true });
  const wrap = join(own, "wrap.sh");
  const replaced = `printf %s "$SSH_ORIGINAL_COMMAND" | sed 's#/opt/forager#${root}#g'`;
  writeFileSync(wrap, `#!/bin/sh\neval "$(${replaced})"\n`);
  chmodSync(wrap, 0o755);
  const inner = await freePort();
  const settings = [
    `ListenAddress 127.0.0.1:${inner}`,
    `HostKey ${join(folder, "host-key")}`,
    `AuthorizedKeysFile ${join(folder, "user-key.pub")}`,
    `ForceCommand ${wrap}`,
    "StrictModes no",
    "UsePAM no",
    "PidFile none",
    "PermitRootLogin yes",
    "MaxStartups 100",
  ];
  const config = join(own, "sshd-config");
  writeFileSync(config, `${settings.join("\n")}\n`);
  const server = spawn(program, ["-D", "-e", "-f", config], { stdio: "ignore" });
  await until(() => answers(inner), `the ssh server of ${name} answers`);

  let isCut = false;
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(inner, "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // prettier-ignore
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => (sockets.delete(one), other.destroy()));
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const host: SshHost = {
    name,
    root,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    heal: () => void (isCut = false),
  };
  return { host, port: (relay.address() as AddressInfo).port, relay, server };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => (socket.destroy(), resolve(true)));
    socket.once("error", () => resolve(false));
  });
