import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../src/base/app-error.ts";
import { cacheFolder } from "../project.ts";
import { downloadPackage } from "./apt.ts";
import { findProgram, runCommand } from "./command.ts";
import type { Service, ServiceContext } from "./service.ts";

const advice =
  "promtool is not installed. On Debian or Ubuntu it is in the package prometheus; elsewhere set " +
  "FORAGER_TEST_PROMTOOL to where it is.";

/**
 * Prometheus' own checker of what it scrapes: a program, no server. Taken out of Debian's package
 * without installing that, since installing would start a server.
 */
export async function startPromtool({ print }: ServiceContext): Promise<Service> {
  const path = (await findProgram(["promtool"])) ?? (await unpack(print));
  return { env: { FORAGER_TEST_PROMTOOL: path }, pids: [], stop: async () => {} };
}

async function unpack(print: (line: string) => void): Promise<string> {
  const folder = join(cacheFolder, "promtool");
  const program = join(folder, "usr/bin/promtool");
  if (await isThere(program)) return program;
  const dpkg = await findProgram(["dpkg-deb"]);
  if (!dpkg) throw new AppError("unavailable", "service_missing", advice);
  await mkdir(folder, { recursive: true });
  print("fetching promtool from Debian's package prometheus (20 MB)");
  try {
    await downloadPackage("prometheus", folder);
  } catch (cause) {
    throw new AppError("unavailable", "service_missing", advice, { cause });
  }
  const name = (await readdir(folder)).find((one) => one.endsWith(".deb")) ?? "";
  await runCommand(dpkg, ["-x", join(folder, name), folder], { timeoutMs: 120_000 });
  return program;
}

const isThere = async (path: string) =>
  (await runCommand(path, ["--version"], { timeoutMs: 20_000 }).catch(() => "")) !== "";
