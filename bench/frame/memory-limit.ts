import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A control group of Linux whose processes together have only so much memory. */
export interface MemoryLimit extends Disposable {
  /** The command line that runs another one inside of it. */
  inside(command: readonly string[]): readonly string[];
}

/** Answers why not, if this system does not let us. */
export function limitMemory(bytes: number): MemoryLimit | { readonly reason: string } {
  if (process.platform !== "linux") return { reason: `${process.platform} has no control groups` };
  const found = layouts.find(({ root, isThere }) => isThere(root));
  if (!found) return { reason: "no control group for memory is mounted" };
  const folder = join(found.root, `forager-bench-${process.pid}`);
  const remove = () => rmdirSync(folder);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, found.limitFile), String(bytes));
  } catch (error) {
    if (existsSync(folder)) remove();
    return { reason: `a control group cannot be made: ${String(error)}` };
  }
  const enter = `echo $$ > "${join(folder, "cgroup.procs")}" && exec "$@"`;
  return {
    inside: (command) => ["/bin/sh", "-c", enter, "sh", ...command],
    [Symbol.dispose]: remove,
  };
}

const layouts = [
  {
    root: "/sys/fs/cgroup",
    limitFile: "memory.max",
    isThere: (root: string) => {
      const file = join(root, "cgroup.subtree_control");
      return existsSync(file) && readFileSync(file, "utf8").split(/\s/).includes("memory");
    },
  },
  { root: "/sys/fs/cgroup/memory", limitFile: "memory.limit_in_bytes", isThere: existsSync },
];
