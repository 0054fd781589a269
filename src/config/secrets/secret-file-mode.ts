import { stat } from "node:fs/promises";

/**
 * Says in what way a file with a secret is readable by too many users, and what to do; undefined if
 * it is not, or does not exist. Like ssh, it checks the rights of the group only in the user's own
 * files: `root:forager 0640` is the usual way to give a secret to a service. Unlike in ssh this is
 * a warning, not a refusal: files from `forager node key > FILE` are readable for all on most
 * machines, and so are secrets that containers mount. Refusing them would stop fleets that work.
 */
export async function describeOpenFile(file: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined; // Windows has no such modes
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  const mode = found.mode & 0o777;
  const isOwn = found.uid === process.getuid?.();
  if ((mode & 0o007) === 0 && (!isOwn || (mode & 0o070) === 0)) return undefined;
  const who = (mode & 0o007) === 0 ? "its group" : "other users";
  return `${file} is open to ${who} (mode ${mode.toString(8).padStart(4, "0")}): run chmod 600 ${file}`;
}
