import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface UserFolders {
  readonly home: string;
  readonly env: Environment;
}

/** The name of the user who runs this process. */
export const userName = (): string => userInfo().username;

/** The default of the setting `data`. */
export function defaultDataFolder({ home, env }: UserFolders): string {
  return join(xdgFolder(env["XDG_DATA_HOME"]) ?? join(home, ".local", "share"), "forager");
}

export function userConfigFile({ home, env }: UserFolders): string {
  return join(xdgFolder(env["XDG_CONFIG_HOME"]) ?? join(home, ".config"), "forager", "config.toml");
}

/**
 * A path as a user writes it: `~` is the home folder, and a relative path is relative to `folder`.
 */
export function resolveUserPath(
  path: string,
  { folder, home }: { readonly folder: string; readonly home: string },
): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return resolve(folder, path);
}

/** Empty and relative values must be ignored: https://specifications.freedesktop.org/basedir */
function xdgFolder(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined;
}
