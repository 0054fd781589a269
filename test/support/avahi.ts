import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { NetworkNode } from "./namespaces.ts";
import type { Services } from "./services.ts";

/** Debian's mDNS on one machine of a test's network, with a message bus of its own. */
export interface Avahi extends AsyncDisposable {
  /** What it finds of a type just now, as `avahi-browse` prints it: one line each, by `;`. */
  browse(type: string): Promise<readonly AvahiService[]>;
  /** Announces a service for as long as the answer runs. */
  publish(service: PublishedService): Promise<ChildProcess>;
}

export interface AvahiService {
  readonly name: string;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly txt: readonly string[];
}

export interface PublishedService {
  readonly name: string;
  readonly type: string;
  readonly port: number;
  readonly txt: readonly string[];
}

/** Everyone may do everything: there is nobody else on it. */
const busConfig = (socket: string) => `<busconfig>
  <type>system</type>
  <listen>unix:path=${socket}</listen>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
</busconfig>
`;

const avahiConfig = `[server]
host-name=debian
use-ipv6=no
[publish]
publish-workstation=no
`;

export async function startAvahi(node: NetworkNode, programs: Services["avahi"]): Promise<Avahi> {
  const folder = mkdtempSync(join(tmpdir(), "forager-avahi-"));
  const socket = join(folder, "bus");
  writeFileSync(join(folder, "bus.conf"), busConfig(socket));
  writeFileSync(join(folder, "avahi.conf"), avahiConfig);
  const env = { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${socket}` };
  const tool = (name: string) => join(programs.tools, name);

  const busArgs = ["--nofork", "--nopidfile", "--print-address", "--config-file"];
  const bus = spawn(programs.bus, [...busArgs, join(folder, "bus.conf")]);
  await once(bus.stdout, "data");
  // It notes its process id in /run, where that of this machine's own Avahi may be: a /run of its
  // own is seen by nobody else, since whatever starts in a namespace has its own mounts.
  const start = `mount -t tmpfs none /run && exec ${programs.daemon} "$@"`;
  const daemonArgs = ["--no-drop-root", "--no-chroot", "--no-rlimits", "-f"];
  const daemon = node.spawn(
    "/bin/sh",
    ["-c", start, "sh", ...daemonArgs, join(folder, "avahi.conf")],
    { env },
  );
  let log = "";
  for (const output of [daemon.stdout, daemon.stderr])
    output!.on("data", (chunk) => (log += String(chunk)));
  await expect.poll(() => log, { interval: 20 }).toContain("Server startup complete");

  return {
    async browse(type) {
      const args = ["--resolve", "--terminate", "--parsable", type];
      const child = node.spawn(tool("avahi-browse"), args, { env });
      let output = "";
      child.stdout!.on("data", (chunk) => (output += String(chunk)));
      await once(child, "close");
      return output.split("\n").filter((line) => line.startsWith("=")).map(readLine); // prettier-ignore
    },
    async publish({ name, type, port, txt }) {
      const args = ["--service", name, type, String(port), ...txt];
      const child = node.spawn(tool("avahi-publish"), args, { env });
      let output = "";
      child.stderr!.on("data", (chunk) => (output += String(chunk)));
      await expect.poll(() => output).toContain("Established under name");
      return child;
    },
    async [Symbol.asyncDispose]() {
      for (const child of [daemon, bus]) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true });
    },
  };
}

/** `=;lan0;IPv4;name;type;local;host;address;port;"txt" "txt"` */
function readLine(line: string): AvahiService {
  const [, , , name = "", , , host = "", address = "", port = "", ...txt] = line.split(";");
  const texts = [...txt.join(";").matchAll(/"([^"]*)"/g)].map(([, text]) => text!);
  return { name, host, address, port: Number(port), txt: texts };
}
