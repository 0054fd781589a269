import { stat } from "node:fs/promises";

/**
 * Says how a file with a secret is too open, and what to do; undefined if it is not, or is not there.
 * Like ssh, it minds what the group may do only in files of one's own: `root:forager 0640` is the
 * usual way to give a secret to a service. Unlike ssh this is a warning and no refusal: keys
 * written by `forager node key > FILE` are readable for all on most machines, and so are secrets
 * that containers mount; refusing them would stop fleets that work.
 */
export async function describeOpenFile(file: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined; // it has no such modes
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  const mode = found.mode & 0o777;
  const isOwn = found.uid === process.getuid?.();
  if ((mode & 0o007) === 0 && (!isOwn || (mode & 0o070) === 0)) return undefined;
  const who = (mode & 0o007) === 0 ? "its group" : "other users";
  return `${file} is open to ${who} (mode ${mode.toString(8).padStart(4, "0")}): run chmod 600 ${file}`;
}
