import { AppError } from "../../src/base/app-error.ts";
import { installPackages } from "./apt.ts";
import { findProgram, runCommand } from "./command.ts";
import type { Service, ServiceContext } from "./service.ts";

const advice =
  "network namespaces need Linux, root and iproute2 (on Debian: apt-get install iproute2). In a " +
  "container they need --privileged too.";

/** No server: the leave to make networks of our own, and the program that makes them. */
export async function startNamespaces({ print }: ServiceContext): Promise<Service> {
  const path = (await findProgram(["ip"])) ?? (await install(print));
  await tryOut(path);
  return { env: { FORAGER_TEST_NAMESPACES: path }, pids: [], stop: async () => {} };
}

async function install(print: (line: string) => void): Promise<string> {
  await installPackages({ packages: ["iproute2"], note: "a few seconds, 4 MB", advice, print });
  const installed = await findProgram(["ip"]);
  if (!installed) throw new AppError("unavailable", "service_missing", advice);
  return installed;
}

/** A kernel may know namespaces and not the tunnels that our networks are made of. */
async function tryOut(path: string): Promise<void> {
  const name = `forager-try-${process.pid}`;
  const ip = (...args: string[]) => runCommand(path, args, { timeoutMs: 10_000 });
  const device = ["lan0", "type", "vxlan", "id", "7", "dstport", "6000"];
  try {
    await ip("netns", "add", name);
    try {
      await ip("-n", name, "link", "add", ...device);
    } finally {
      await ip("netns", "delete", name);
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("unavailable", "service_missing", `${advice} (${why})`, { cause });
  }
}
