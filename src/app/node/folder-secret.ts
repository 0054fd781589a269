import { dirname } from "node:path";
import { createFileAtomic, translateFileError } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";

export interface FolderSecretOptions {
  /** Relative to the data folder. */
  readonly file: string;
  /** Generates the secret if the file does not exist yet. One line of text. */
  readonly make: () => string;
}

/**
 * A secret that the data folder generates at first use. Only the owner of the folder can read the
 * file (mode 0600, whatever the umask). If several processes start at once, all get the secret of
 * the one that created the file. The file is never replaced: to get a new secret, delete it and
 * restart.
 */
export async function openFolderSecret({ file, make }: FolderSecretOptions): Promise<string> {
  const found = await readSecret(file);
  if (found !== undefined) return found;
  makeFolder(dirname(file), { mode: 0o700 });
  const secret = make();
  const isCreated = await createFileAtomic(file, `${secret}\n`, { mode: 0o600 });
  return isCreated ? secret : ((await readSecret(file)) ?? "");
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(file)).toString().trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw translateFileError(error, file);
  }
}
