import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./repository.ts";

/** The part of package-lock.json (version 3) that says what is installed, by folder. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface LockedPackage {
  readonly version?: string;
  /** Where it comes from, if not by name from a registry. */
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export function readLockfile(path: string): Lockfile {
  return JSON.parse(readFileSync(join(repositoryRoot, path), "utf8")) as Lockfile;
}

/** The names of what a user's install brings in directly. */
export function directDependencies({ packages }: Lockfile): readonly string[] {
  return namesOf(packages[""] ?? {});
}

/**
 * The folders of all packages that a production install holds, but for those that are there only
 * because of the direct dependencies named in `besides`.
 */
export function installedPackages(
  lockfile: Lockfile,
  { besides = [] }: { readonly besides?: readonly string[] } = {},
): readonly string[] {
  const reached = new Set<string>();
  const visit = (from: string, names: readonly string[]) => {
    for (const name of names) {
      const folder = resolveFolder(lockfile, from, name);
      // An optional package of another platform is locked but may be left out of the file.
      if (folder === undefined || reached.has(folder)) continue;
      reached.add(folder);
      visit(folder, namesOf(lockfile.packages[folder] ?? {}));
    }
  };
  visit(
    "",
    directDependencies(lockfile).filter((name) => !besides.includes(name)),
  );
  return [...reached].sort();
}

function namesOf({ dependencies, optionalDependencies }: LockedPackage): readonly string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies });
}

/** As Node looks: in the package's own node_modules, then in those of the folders around it. */
function resolveFolder({ packages }: Lockfile, from: string, name: string): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf("node_modules") - 1))) {
    const folder = `${base === "" ? "" : `${base}/`}node_modules/${name}`;
    if (folder in packages) return folder;
    if (base === "") return undefined;
  }
}
