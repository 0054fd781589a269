import { readFile, stat } from "node:fs/promises";
import { AppError } from "../../../../base/app-error.ts";

export interface Login {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

export interface PassFileMatch {
  readonly password?: string | undefined;
  /** Other users can read the file, so it was not used. */
  readonly isOpen: boolean;
}

/**
 * Looks up the password for a login in a file of lines `host:port:database:user:password`. `*`
 * matches anything, and `\` escapes a `:` or `\`. As in libpq, a file that others can read is not
 * used: https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
export async function lookUpPassword(
  file: string | undefined,
  login: Login,
): Promise<PassFileMatch> {
  if (file === undefined) return { isOpen: false };
  let text: string;
  try {
    const { mode } = await stat(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) return { isOpen: true };
    text = await readFile(file, "utf8");
  } catch {
    return { isOpen: false }; // the file is optional
  }
  return { isOpen: false, password: matchLine(text, login) };
}

/** The error if the server asks for a password and there is none. */
export function noPassword(name: string, file: string | undefined, cause: unknown): AppError {
  const refused =
    file === undefined ? "" : `; ${file} is not used, because other users can read it (chmod 600)`;
  return new AppError(
    "unavailable",
    "queue_login_refused",
    `the server of the queue ${name} asks for a password, and none is set: set queue.password or ` +
      `PGPASSWORD, or add a line to ~/.pgpass${refused}`,
    { cause },
  );
}

export function matchLine(text: string, login: Login): string | undefined {
  const { host, port, database, user } = login;
  // The folder of a socket is written as localhost.
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    const fields = (line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? []).map((field) =>
      field.replace(/:$/, "").replaceAll(/\\(.)/g, "$1"),
    );
    const isMatch = wanted.every((value, at) => fields[at] === "*" || fields[at] === value);
    if (isMatch && fields[4] !== undefined && fields[4] !== "") return fields[4];
  }
  return undefined;
}
