/** Looks at the browser processes that this process started. Linux only, as the tests' machines are. */
import { readdirSync, readFileSync } from "node:fs";

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly residentMb: number;
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
        const residentMb = (Number(fields[21]) * 4_096) / 1024 / 1024;
        return [{ id: Number(name), parent: Number(fields[1]), residentMb, command }];
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
  return Math.max(...own.map(({ id }) => id));
}

/** The browser with all its helpers, resident. */
export function ownBrowserMb(): number {
  const all = processes();
  const family = new Set([ownBrowserId()]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const { id, parent } of all) if (family.has(parent)) family.add(id);
  }
  return all.filter(({ id }) => family.has(id)).reduce((sum, one) => sum + one.residentMb, 0);
}
