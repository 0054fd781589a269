/** Looks at the browser processes that this process started. Linux only, as the tests' machines are. */
import { readdirSync, readFileSync } from "node:fs";

interface Process {
  readonly id: number;
  readonly parent: number;
  /** In ticks since the machine started: ids begin anew some day, this does not. */
  readonly startedAtTicks: number;
  readonly command: string;
}

function processes(): readonly Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        const startedAtTicks = Number(fields[19]);
        return [{ id: Number(name), parent: Number(fields[1]), startedAtTicks, command }];
      } catch {
        return []; // ended meanwhile
      }
    });
}

/** The browser itself, without its helpers. The one started last, where there are several. */
export function ownBrowserId(): number {
  const own = processes().filter(
    ({ parent, command }) => parent === process.pid && command.includes("--headless"),
  );
  if (own.length === 0) throw new Error("this process has no browser");
  return own.reduce((a, b) => (b.startedAtTicks >= a.startedAtTicks ? b : a)).id;
}

/**
 * What the browser and its helpers hold of their own. Not what is resident: that counts a shared page
 * once for each process, and those of its program by who else runs it at the moment.
 */
export function ownBrowserMb(): number {
  const all = processes();
  const family = new Set([ownBrowserId()]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const { id, parent } of all) if (family.has(parent)) family.add(id);
  }
  return [...family].reduce((sum, id) => sum + anonymousMb(id), 0);
}

function anonymousMb(id: number): number {
  let memory: string;
  try {
    memory = readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
  } catch {
    return 0; // ended meanwhile
  }
  const [, kb] = /^Pss_Anon:\s+(\d+) kB$/m.exec(memory) ?? [];
  if (kb === undefined) throw new Error("this kernel does not tell anonymous memory (Pss_Anon)");
  return Number(kb) / 1024;
}
