import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** A check that passed, and the signature of everything it depended on. */
export interface CachedCheck {
  readonly signature: string;
  readonly passed: number;
}

/** Checks that passed, by name. Only passes are kept: what failed or was skipped runs again. */
export interface CheckCache {
  /** How many tests passed the last time, if nothing has changed since. */
  find(name: string, signature: string): number | undefined;
  set(name: string, check: CachedCheck): void;
  forget(name: string): void;
  save(): Promise<void>;
}

const version = 1;

/** The cache in a file. One that is absent or damaged is empty: it only costs a run. */
export async function openCheckCache(file: string): Promise<CheckCache> {
  const checksByName = await load(file);
  return {
    find(name, signature) {
      const check = checksByName.get(name);
      return check?.signature === signature ? check.passed : undefined;
    },
    set: (name, check) => void checksByName.set(name, check),
    forget: (name) => void checksByName.delete(name),
    async save() {
      const checks = Object.fromEntries([...checksByName].toSorted(([a], [b]) => (a < b ? -1 : 1)));
      await mkdir(dirname(file), { recursive: true });
      const temporary = `${file}.${process.pid}`;
      await writeFile(temporary, JSON.stringify({ version, checks }, undefined, 1));
      await rename(temporary, file);
    },
  };
}

/** A cache that knows nothing and keeps nothing. */
export const noCheckCache: CheckCache = {
  find: () => undefined,
  set() {},
  forget() {},
  save: async () => {},
};

async function load(file: string): Promise<Map<string, CachedCheck>> {
  const checks = new Map<string, CachedCheck>();
  try {
    const content = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
    if (content["version"] !== version) return checks;
    for (const [name, check] of Object.entries(content["checks"] as Record<string, unknown>))
      if (isCachedCheck(check)) checks.set(name, check);
  } catch {
    // Absent or damaged: start empty.
  }
  return checks;
}

function isCachedCheck(check: unknown): check is CachedCheck {
  if (typeof check !== "object" || check === null) return false;
  const { signature, passed } = check as Record<string, unknown>;
  return typeof signature === "string" && Number.isInteger(passed);
}
