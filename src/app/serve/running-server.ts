import { ApiError, createApiClient, type ApiClient } from "../../api/client/api-client.ts";
import { AppError, type ErrorKind } from "../../base/app-error.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import type { Paths } from "../../config/index.ts";
import { apiTokenFile, readServerAddress, type ServerAddress } from "./server-files.ts";

export interface RunningServerOptions {
  readonly paths: Paths;
  readonly signal: AbortSignal;
}

/** The running server of a data folder; requests use the folder's token. */
export interface RunningServer {
  readonly origin: string;
  /**
   * An error response throws an AppError with the code and the text of the problem. If nothing
   * answers at the address, the error is `no_server`.
   */
  call<T>(ask: (client: ApiClient) => Promise<T>): Promise<T>;
}

/** Throws `no_server` if none is running. Reads two files, and sends no request yet. */
export async function findRunningServer(options: RunningServerOptions): Promise<RunningServer> {
  const { paths, signal } = options;
  const address = await readServerAddress(paths);
  if (!address || !isOwnProcess(address.pid)) throw noServer(paths);
  const { origin } = address;
  const token = await readToken(paths);
  const client = createApiClient({
    origin,
    token,
    fetch: (url, init) => fetch(url, { ...init, signal }),
  });
  return {
    origin,
    async call(ask) {
      try {
        return await ask(client);
      } catch (error) {
        signal.throwIfAborted();
        throw translate(error, { paths, address });
      }
    },
  };
}

/**
 * A server that was killed leaves its file, and any user of the machine could then listen on its
 * port. The token must not be sent to such a process, so the process id is checked first.
 */
function isOwnProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function readToken(paths: Paths): Promise<string> {
  const file = apiTokenFile(paths);
  try {
    return (await readRegularFile(file)).toString().trim();
  } catch (cause) {
    const message = `the token ${file} cannot be read (${(cause as Error).message}): restart \`forager serve\``;
    throw new AppError("unavailable", "no_token", message, { cause });
  }
}

interface Asked {
  readonly paths: Paths;
  readonly address: ServerAddress;
}

function translate(error: unknown, { paths, address }: Asked): unknown {
  if (error instanceof ApiError) return problemError(error, paths);
  if (error instanceof SyntaxError) {
    const text = `the server at ${address.origin} is not a forager server: its response is not JSON`;
    return new AppError("unavailable", "not_json", text, { cause: error });
  }
  // fetch throws this if there is no response: nobody listens, or the connection was closed.
  if (!(error instanceof TypeError)) return error;
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return noServer(paths, error);
  const text = `the server at ${address.origin} did not answer: ${message}`;
  return new AppError("unavailable", "no_answer", text, { cause: error });
}

function problemError(cause: ApiError, paths: Paths): AppError {
  const { status, code, detail, errors = [] } = cause.problem;
  if (status === 401) {
    const message = `the server does not accept the token in ${apiTokenFile(paths)}, which has changed since its start: restart \`forager serve\``;
    return new AppError("invalid", code, message, { cause });
  }
  const lines = errors.map(({ where, message }) => `${where}: ${message}`);
  const others = lines.filter((line) => !detail.includes(line));
  const fields = others.map((line) => `\n  ${line}`).join("");
  const message = `the server answered ${status}: ${detail}${fields}`;
  // With these codes a command reports an error in its own command line or data folder.
  const isOwnCode = code === "usage" || code === "node_in_use";
  return new AppError(kindOf(status), isOwnCode ? `server_${code}` : code, message, { cause });
}

function kindOf(status: number): ErrorKind {
  if (status === 409 || status === 412) return "conflict";
  return status >= 500 || status === 429 ? "unavailable" : "invalid";
}

const noServer = (paths: Paths, cause?: unknown) =>
  new AppError(
    "unavailable",
    "no_server",
    `no server is running for the data folder ${paths.root()}: start one with \`forager up\` or \`forager serve\``,
    { cause },
  );
