import { AppError } from "../../base/app-error.ts";
import type { Random } from "../../base/random.ts";
import type { Paths } from "../../config/index.ts";
import { makeKey, parseKeyring, type Keyring } from "../../gossip/index.ts";
import { openFolderSecret } from "./folder-secret.ts";
import { ownKeyFile } from "./gossip-key-source.ts";

/** The key that this data folder generates, for a node without `gossip.keys`. */
export async function readOwnKeyring(
  paths: Pick<Paths, "resolve">,
  random: Random,
): Promise<Keyring> {
  const file = ownKeyFile(paths);
  const key = await openFolderSecret({ file, make: () => makeKey(random) });
  try {
    return parseKeyring([key]);
  } catch (cause) {
    const message = `${file} holds no gossip key: delete it, and a new one is made at the next start`;
    throw new AppError("invalid", "gossip_own_key", message, { cause });
  }
}
