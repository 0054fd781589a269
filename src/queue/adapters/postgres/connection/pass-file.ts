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
  /** Others may read the file, so it was not looked into. */
  readonly isOpen: boolean;
}

/**
 * The password for a login from a file of lines `host:port:database:user:password`, where `*` is
 * anything and `\` makes a `:` or `\` an ordinary character. As in libpq, a file that others can
 * read is not used: https://www.postgresql.org/docs/current/libpq-pgpass.html
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
    return { isOpen: false }; // it is only looked for
  }
  return { isOpen: false, password: matchLine(text, login) };
}

/** What to say to whom the server asked for a password that nobody had. */
export function noPassword(name: string, file: string | undefined, cause: unknown): AppError {
  const refused =
    file === undefined ? "" : `; ${file} is not used, since others may read it (chmod 600)`;
  return new AppError(
    "unavailable",
    "queue_login_refused",
    `the queue ${name} wants a password and none was given: set queue.password, PGPASSWORD or ` +
      `a line in ~/.pgpass${refused}`,
    { cause },
  );
}

export function matchLine(text: string, login: Login): string | undefined {
  const { host, port, database, user } = login;
  // A socket's folder is written as localhost.
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
