import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { AddressGuard } from "../../address.ts";

/** All addresses of a name. Rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** A name without a public address. */
export class PrivateAddressError extends Error {
  readonly code = "FORAGER_PRIVATE_ADDRESS";
}

export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) =>
    systemLookup(hostname, { all: true, verbatim: true }, (error, found) =>
      error ? reject(error) : resolve(found.map(({ address }) => address)),
    ),
  );

/**
 * The look-up that a socket makes when it connects. The socket connects only to the result, so a
 * name cannot change between the check and the connection. An address in the URL itself is never
 * looked up: see `privateHost`.
 */
export function createGuardedLookup(resolve: Resolve, guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const allowed = addresses
          .filter((address) => guard.isAllowed(address))
          .map((address) => ({ address, family: isIP(address) }))
          .filter(({ family }) => !options.family || options.family === family);
        const [first] = allowed;
        if (!first) {
          const message = `${hostname} leads to ${addresses.join(", ") || "no address"}`;
          return callback(new PrivateAddressError(message), "", 0);
        }
        if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}

/** The host of a URL, if it is an address to which connections are not allowed. */
export function privateHost(url: URL, guard: AddressGuard): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) !== 0 && !guard.isAllowed(host) ? host : undefined;
}
