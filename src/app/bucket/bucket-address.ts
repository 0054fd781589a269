import { isAbsolute } from "node:path";
import type { Paths, Settings } from "../../config/index.ts";

/**
 * The bucket address of `bucket.url` on this machine, with its password; undefined if it is not
 * set. A relative folder is below the data folder, regardless of the current directory.
 */
export async function locateBucket(
  { url, password }: Settings["bucket"],
  paths: Pick<Paths, "resolve">,
): Promise<string | undefined> {
  if (url === undefined) return undefined;
  const [, folder] = /^dir:(.+)$/s.exec(url) ?? [];
  if (folder !== undefined) return isAbsolute(folder) ? url : `dir:${paths.resolve(folder)}`;
  if (!password) return url;
  const address = new URL(url);
  address.password = encodeURIComponent(await password.reveal());
  return address.href;
}
