import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../src/base/app-error.ts";
import { installPackages } from "./apt.ts";
import { findProgram, runCommand } from "./command.ts";
import type { Service, ServiceContext } from "./service.ts";

const advice =
  "a disk in a file needs Linux, root, loop devices and mkfs.ext4 (on Debian: apt-get install " +
  "e2fsprogs). In a container it needs --privileged too.";

/** No server: permission to mount ext4 from a file, and the program that formats it. */
export async function startLoopDisks({ folder, print }: ServiceContext): Promise<Service> {
  const path = (await findProgram(["mkfs.ext4"])) ?? (await install(print));
  await tryOut(path, folder);
  return { env: { FORAGER_TEST_MKFS: path }, pids: [], stop: async () => {} };
}

async function install(print: (line: string) => void): Promise<string> {
  await installPackages({ packages: ["e2fsprogs"], note: "a few seconds, 2 MB", advice, print });
  const installed = await findProgram(["mkfs.ext4"]);
  if (!installed) throw new AppError("unavailable", "service_missing", advice);
  return installed;
}

async function tryOut(mkfs: string, folder: string): Promise<void> {
  const [image, mounted] = [join(folder, "disk.img"), join(folder, "disk")];
  const run = (program: string, ...args: string[]) =>
    runCommand(program, args, { timeoutMs: 20_000 });
  try {
    await run("truncate", "-s", "8M", image);
    await run(mkfs, "-q", "-F", image);
    await mkdir(mounted);
    await run("mount", "-o", "loop", image, mounted);
    await run("umount", mounted);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("unavailable", "service_missing", `${advice} (${why})`, { cause });
  }
}
