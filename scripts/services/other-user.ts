import { spawnSync } from "node:child_process";
import { AppError } from "../../src/base/app-error.ts";
import { root } from "../project.ts";
import type { Service } from "./service.ts";

/** "nobody" on every Linux; it owns no files. */
const uid = 65_534;

const advice =
  "to run a program as another user needs root, and a repository and Node that every user of the " +
  "machine can read.";

/** No server: the permission to start programs as another user of this machine. */
export async function startOtherUser(): Promise<Service> {
  if (process.getuid?.() !== 0) throw new AppError("unavailable", "service_missing", advice);
  const script = `require("node:fs").readFileSync("package.json")`;
  const tried = spawnSync(process.execPath, ["-e", script], {
    cwd: root,
    uid,
    gid: uid,
    encoding: "utf8",
  });
  if (tried.status !== 0) {
    const why = tried.error?.message ?? tried.stderr;
    throw new AppError("unavailable", "service_missing", `${advice} (${why})`);
  }
  return { env: { FORAGER_TEST_OTHER_UID: String(uid) }, pids: [], stop: async () => {} };
}
