import { join } from "node:path";

/**
 * The path of an object in the folder. Lower-case names without special characters are kept, so
 * that people can read the folder. All other characters are written as %XX of their UTF-8 bytes,
 * because some file systems treat `A` and `a`, or different forms of `é`, as equal, and some names
 * are reserved. A name that becomes too long is split: it continues in a sub-folder, after a `%` at
 * the end of the first part.
 */
export function objectPath(root: string, key: string): string {
  return join(root, ...key.split("/").flatMap((part) => chunks(encodePart(part))));
}

/** The key of a path below the root; undefined if the path is not one that `objectPath` creates. */
export function keyOfPath(names: readonly string[]): string | undefined {
  const encoded = names.join("/").replaceAll("%/", "");
  const key = decode(encoded);
  if (key === undefined) return undefined;
  // A file that somebody put here under a name that we would not give it is not an object.
  return objectPath("", key) === join(...names) ? key : undefined;
}

const nameBytesMax = 200;
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
const reservedName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=$|\.)/;

function encodePart(part: string): string {
  const encoded = Array.from(Buffer.from(part), (byte) => {
    const letter = String.fromCharCode(byte);
    return /[a-z0-9._=@+,~-]/.test(letter) ? letter : percent(byte);
  }).join("");
  return encoded
    .replace(/^\./, percent(0x2e)) // names with a dot are for the lock and for other programs
    .replace(/\.$/, percent(0x2e))
    .replace(reservedName, (name) => percent(name.charCodeAt(0)) + name.slice(1));
}

function chunks(name: string): readonly string[] {
  const parts: string[] = [];
  let rest = name;
  while (rest.length > nameBytesMax) {
    // Not inside a %XX, and not before a dot, which would hide the folder or file below.
    let cut = nameBytesMax;
    while (rest.slice(cut - 2, cut).includes("%") || rest[cut] === ".") cut -= 1;
    parts.push(`${rest.slice(0, cut)}%`);
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined; // it throws nothing but URIError
  }
}

const percent = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
