import { join } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/app-error.ts";
import { readBytes } from "../read-bytes.ts";
import { runSecretCommand, secretBytesMax } from "./secret-command.ts";
import { createSecret, type Secret } from "./secret.ts";
import { resolveUserPath, type UserFolders } from "../user-paths.ts";

export interface SecretPlace extends UserFolders {
  /** Setting and place for messages: `queue.password (/path/forager.toml:3)`. */
  readonly name: string;
  /** The folder to which a relative file is relative, and in which a command runs. */
  readonly folder: string;
}

export const secretForms =
  '{ file = "PATH" }, { env = "NAME" }, { command = "…" } or { credential = "NAME" }';
export const secretAccepts = `a string, ${secretForms}, not empty`;

const written = z.union([
  z.string().min(1),
  z.strictObject({ env: z.string().regex(/^[A-Za-z_]\w*$/) }),
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ command: z.string().min(1) }),
  z.strictObject({ credential: z.string().regex(/^(?!\.)[\w.-]+$/) }),
]);

/** The folder in which systemd stores the credentials of `LoadCredential=` in a unit. */
const credentialsVariable = "CREDENTIALS_DIRECTORY";

/** Creates a secret from its written form without reading it; undefined if the form is unknown. */
export function toSecret(raw: unknown, place: SecretPlace): Secret | undefined {
  const { success, data } = written.safeParse(raw);
  if (!success) return undefined;
  if (typeof data === "string") return createSecret(async () => data);
  if ("env" in data) {
    const { env } = data;
    return createSecret(async () => readVariable(env, place), "env");
  }
  if ("credential" in data) {
    const { credential } = data;
    return createSecret(
      async () => toText(await readCredential(credential, place), place.name),
      "file",
    );
  }
  if ("file" in data) {
    const file = resolveUserPath(data.file, place);
    return createSecret(
      async () => toText(await readSecretFile(file, place.name), place.name),
      "file",
    );
  }
  const command = { ...place, command: data.command };
  return createSecret(async () => toText(await runSecretCommand(command), place.name), "command");
}

/** The file that contains a written secret, if it is in a file. */
export function secretFileOf(raw: unknown, place: UserFolders & { folder: string }) {
  const { data } = written.safeParse(raw);
  return typeof data === "object" && "file" in data ? resolveUserPath(data.file, place) : undefined;
}

function readVariable(variable: string, { env, name }: SecretPlace): string {
  const value = env[variable];
  if (value === undefined || value === "") {
    throw failed(name, `the environment variable ${variable} is not set`);
  }
  return value;
}

async function readCredential(credential: string, place: SecretPlace): Promise<Uint8Array> {
  const folder = place.env[credentialsVariable];
  if (folder === undefined || folder === "") {
    const hint = `add LoadCredential=${credential}:FILE to its unit`;
    const text = `systemd gave this process no credentials (${credentialsVariable} is not set): ${hint}`;
    throw failed(place.name, text);
  }
  return await readSecretFile(join(folder, credential), place.name);
}

async function readSecretFile(file: string, name: string): Promise<Uint8Array> {
  const bytes = await readBytes(file, secretBytesMax).catch((cause: NodeJS.ErrnoException) => {
    throw failed(
      name,
      `cannot read ${file} (${cause.code}): check that it exists and that this user may read it`,
      cause,
    );
  });
  if (!bytes) throw failed(name, `${file} is over ${secretBytesMax} bytes`);
  return bytes;
}

/** Removes the newline that editors and commands append to a secret. */
function toText(bytes: Uint8Array, name: string): string {
  const text = new TextDecoder().decode(bytes).replace(/\r?\n$/, "");
  if (text === "") throw failed(name, "the file or command gave nothing");
  return text;
}

const failed = (name: string, text: string, cause?: unknown) =>
  new AppError("invalid", "secret_unreadable", `${name}: ${text}`, { cause });

/** Reads a secret from the environment or from a file of this machine. `name` is for messages. */
export async function readSecretReference(
  reference: { readonly env: string } | { readonly file: string },
  name: string,
  { cwd, env, home }: UserFolders & { readonly cwd: string },
): Promise<string> {
  const secret = toSecret(reference, { name, folder: cwd, env, home });
  if (!secret) throw failed(name, `give ${secretForms}`);
  return await secret.reveal();
}
