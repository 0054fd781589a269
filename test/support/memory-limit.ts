import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A control group of this kernel's: what runs in it gets no more memory than it allows. */
export interface MemoryLimit {
  /** A shell command that puts what follows it into the group. */
  readonly prefix: string;
  /** The most that was used at once, page cache included. */
  peakBytes(): number;
  /** Processes that were killed because there was no more. */
  kills(): number;
  /** Once all that ran in it has ended. */
  remove(): Promise<void>;
}

interface Layout {
  readonly folder: string;
  readonly limit: string;
  readonly peak: string;
  readonly events: string;
}

const layouts: readonly Layout[] = [
  {
    folder: "/sys/fs/cgroup/memory", // version 1
    limit: "memory.limit_in_bytes",
    peak: "memory.max_usage_in_bytes",
    events: "memory.oom_control",
  },
  { folder: "/sys/fs/cgroup", limit: "memory.max", peak: "memory.peak", events: "memory.events" },
];

/** Undefined where this process may not make one; why is the caller's to say. */
export function createMemoryLimit(bytes: number): MemoryLimit | undefined {
  for (const { folder, limit, peak, events } of layouts) {
    const group = join(folder, `forager-test-${process.pid}-${bytes}`);
    try {
      if (!existsSync(join(folder, "cgroup.procs"))) continue;
      mkdirSync(group);
    } catch {
      continue; // not ours to change
    }
    const read = (name: string) => readFileSync(join(group, name), "utf8");
    try {
      writeFileSync(join(group, limit), String(bytes));
      read(peak);
      read(events);
    } catch {
      rmdirSync(group); // no memory controller here
      continue;
    }
    return {
      prefix: `echo $$ > ${group}/cgroup.procs && exec`,
      peakBytes: () => Number(read(peak)),
      kills: () => Number(/^oom_kill (\d+)/m.exec(read(events))?.[1]),
      remove: () => removeWhenEmpty(group),
    };
  }
  return undefined;
}

/** What was killed may take a moment to be gone. */
async function removeWhenEmpty(group: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return rmdirSync(group);
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
