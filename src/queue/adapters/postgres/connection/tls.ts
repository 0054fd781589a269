import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from "node:tls";

/** `prefers`: encrypted if the server supports it, which is checked when the queue is opened. */
export type Tls =
  | { readonly kind: "off" }
  | { readonly kind: "on" | "prefers"; readonly options: ConnectionOptions };

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

export interface TlsOptions {
  readonly host: string;
  readonly mode: string | undefined;
  readonly rootFile: string | undefined;
  readonly certificateFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly bad: (why: string, cause?: unknown) => Error;
}

/**
 * As in libpq: https://www.postgresql.org/docs/current/libpq-ssl.html. The default is `prefer`.
 * `require` checks the server's certificate only if a root certificate is given; `verify-full` also
 * checks its name. If the root is `system` or missing, Node's root certificates are used.
 */
export function readTls(given: TlsOptions): Tls {
  const { host, bad, rootFile } = given;
  const mode = modes.find((known) => known === (given.mode ?? "prefer"));
  if (!mode) throw bad(`sslmode is "${given.mode}", not one of ${modes.join(", ")}`);
  if (mode === "disable" || host.startsWith("/")) return { kind: "off" };
  const root = rootFile === undefined || rootFile === "system" ? undefined : rootFile;
  if (mode === "verify-ca" && root === undefined) {
    throw bad("sslmode=verify-ca needs sslrootcert, the file of the authority to trust");
  }
  const read = (what: string, file: string | undefined) => {
    if (file === undefined) return undefined;
    try {
      return readFileSync(file);
    } catch (cause) {
      throw bad(`the file of ${what}, ${file}, cannot be read`, cause);
    }
  };
  const ca = read("sslrootcert", root);
  const [cert, key] = [read("sslcert", given.certificateFile), read("sslkey", given.keyFile)];
  const isFull = mode === "verify-full";
  const options: ConnectionOptions = {
    rejectUnauthorized: isFull || mode === "verify-ca" || (mode === "require" && ca !== undefined),
    checkServerIdentity: (_, certificate: PeerCertificate) =>
      isFull ? checkServerIdentity(host, certificate) : undefined,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
  };
  return { kind: mode === "allow" || mode === "prefer" ? "prefers" : "on", options };
}

const answerMs = 5_000;

/** Decides how a connection is encrypted. Throws if the server cannot be reached. */
export async function settleTls(
  tls: Tls,
  place: { readonly host: string; readonly port: number },
): Promise<ConnectionOptions | false> {
  switch (tls.kind) {
    case "off":
      return false;
    case "on":
      return tls.options;
    case "prefers":
      return (await offersTls(place)) ? tls.options : false;
  }
}

const requestCode = 80_877_103;

/**
 * Asks the server whether it supports encryption, which must come first on a connection: it answers
 * "S" or "N".
 */
function offersTls(place: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const request = Buffer.alloc(8);
    request.writeInt32BE(8, 0);
    request.writeInt32BE(requestCode, 4);
    const socket = connect(place);
    const answer = (isOffered: boolean) => {
      socket.destroy();
      resolve(isOffered);
    };
    socket.setTimeout(answerMs, () => answer(false));
    socket.once("connect", () => socket.write(request));
    socket.once("data", (data) => answer(data.toString("latin1", 0, 1) === "S"));
    socket.once("error", () => answer(false));
    socket.once("close", () => answer(false));
  });
}
