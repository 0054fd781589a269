import { AppError } from "../base/app-error.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses HOST:PORT. Throws `invalid` for an address other than loopback unless other machines are
 * allowed.
 */
export function parseListen(
  text: string,
  { mayBeReached }: { readonly mayBeReached: boolean },
): ListenAddress {
  // prettier-ignore
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    const message = `"${text}" is not an address to listen on: write HOST:PORT, such as 127.0.0.1:4870`;
    throw new AppError("invalid", "bad_listen", message);
  }
  if (!mayBeReached && !isLoopbackHost(host)) throw needsUsers(text);
  return { host, port: Number(port) };
}

export const isLoopbackHost = (host: string): boolean =>
  /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|::1)$/.test(host);

/** True for an address that means all addresses of the machine. */
export const isAnyHost = (host: string): boolean => /^(?:0\.0\.0\.0|::|\*)$/.test(host);

export const originOf = (scheme: "http" | "https", host: string, port: number): string =>
  `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;

const needsUsers = (text: string) =>
  new AppError(
    "invalid",
    "listen_needs_users",
    `${text} can be reached from other machines, and there are no users who could sign in: add one with ` +
      "`forager user add NAME --role admin`, or listen on 127.0.0.1 and reach it from elsewhere through " +
      "`ssh -L 4870:127.0.0.1:4870 HOST`",
  );
