import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./user-paths.ts";

/** The values of the PG* variables, under the names of libpq's parameters. */
export interface LibpqVariables {
  readonly host?: string;
  readonly port?: string;
  readonly dbname?: string;
  readonly user?: string;
  readonly password?: string;
  /** A password file, used if no other setting gives a password. */
  readonly passfile?: string;
  readonly sslmode?: string;
  readonly sslrootcert?: string;
  readonly sslcert?: string;
  readonly sslkey?: string;
  readonly connect_timeout?: string;
  readonly application_name?: string;
}

const variables: Readonly<Record<keyof LibpqVariables, string>> = {
  host: "PGHOST",
  port: "PGPORT",
  dbname: "PGDATABASE",
  user: "PGUSER",
  password: "PGPASSWORD",
  passfile: "PGPASSFILE",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  connect_timeout: "PGCONNECT_TIMEOUT",
  application_name: "PGAPPNAME",
};

/**
 * As in libpq, an empty variable counts as unset:
 * https://www.postgresql.org/docs/current/libpq-envars.html
 */
export function readLibpqVariables(
  env: Environment = process.env,
  home: string = homedir(),
): LibpqVariables {
  const given = Object.entries(variables).flatMap(([name, variable]) => {
    const value = env[variable];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  return { passfile: join(home, ".pgpass"), ...Object.fromEntries(given) };
}
