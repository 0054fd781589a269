import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../src/base/app-error.ts";
import { cacheFolder } from "../project.ts";
import { findProgram, runCommand } from "./command.ts";
import type { Service, ServiceContext } from "./service.ts";

const advice =
  "promtool is not installed. On Debian or Ubuntu it is in the package prometheus; elsewhere set " +
  "FORAGER_TEST_PROMTOOL to where it is.";

/**
 * Prometheus' own checker of what it scrapes: a program, no server. Taken out of Debian's package
 * without installing that, since installing would start a server.
 */
export async function startPromtool({ say }: ServiceContext): Promise<Service> {
  const path = (await findProgram(["promtool"])) ?? (await unpack(say));
  return { env: { FORAGER_TEST_PROMTOOL: path }, pids: [], stop: async () => {} };
}

async function unpack(say: (line: string) => void): Promise<string> {
  const folder = join(cacheFolder, "promtool");
  const program = join(folder, "usr/bin/promtool");
  if (await isThere(program)) return program;
  const apt = await findProgram(["apt-get"]);
  const dpkg = await findProgram(["dpkg-deb"]);
  if (!apt || !dpkg) throw new AppError("unavailable", "service_missing", advice);
  await mkdir(folder, { recursive: true });
  say("fetching promtool from Debian's package prometheus (20 MB)");
  try {
    // The folder to download into is the one it runs in, and `runCommand` runs in ours.
    await runCommand("sh", ["-c", `cd "${folder}" && ${apt} download prometheus`], {
      timeoutMs: 300_000,
    });
  } catch (cause) {
    throw new AppError("unavailable", "service_missing", advice, { cause });
  }
  const name = (await readdir(folder)).find((one) => one.endsWith(".deb")) ?? "";
  await runCommand(dpkg, ["-x", join(folder, name), folder], { timeoutMs: 120_000 });
  return program;
}

const isThere = async (path: string) =>
  (await runCommand(path, ["--version"], { timeoutMs: 20_000 }).catch(() => "")) !== "";
