import { userInfo } from "node:os";
import pg from "pg";
import { AppError } from "../../../../base/app-error.ts";
import type { LibpqVariables } from "../../../../config/index.ts";
import { lazyKinds, type LazyKind } from "../write/lazy-kind.ts";
import { lookUpPassword, noPassword } from "./pass-file.ts";
import { readTls, type Tls } from "./tls.ts";

/** The address of a queue. Missing parts come from the PG* variables, as in libpq. */
export interface PostgresPlace {
  readonly connection: pg.ClientConfig;
  readonly tls: Tls;
  /** For a refused login: explains the refusal if there was no password. */
  readonly explainRefusal: (cause: unknown) => AppError | undefined;
  readonly schema: string;
  readonly lazy: readonly LazyKind[] | undefined;
  /** How long to wait for a connection, if the address or a variable says so. */
  readonly connectMs: number | undefined;
  /** For messages: without user and password. */
  readonly name: string;
}

export interface PlaceOptions {
  /** These two take precedence over the address. */
  readonly schema?: string | undefined;
  readonly password?: string | undefined;
  readonly variables?: LibpqVariables | undefined;
}

const schemaDefault = "forager";
const parameters = [
  "schema",
  "lazy",
  "host",
  "port",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "connect_timeout",
  "application_name",
] as const;
type Parameter = (typeof parameters)[number];

/**
 * Reads `postgres://user:password@host:port/database?schema=name&lazy=claim,finish&sslmode=…`.
 * Parameters and PG* variables mean what they mean in libpq.
 */
export function readPlace(address: string, options: PlaceOptions = {}): PostgresPlace {
  const url = parse(address);
  const { variables = {} } = options;
  const said = readParameters(url);
  const find = (name: Exclude<Parameter, "schema" | "lazy">) => said.get(name) ?? variables[name];

  const schema = options.schema ?? said.get("schema") ?? schemaDefault;
  if (schema === "" || Buffer.byteLength(schema) > 63 || schema.includes("\0")) {
    throw badAddress("the name of its schema must have 1 to 63 bytes");
  }
  const host = (decode(url.hostname) || find("host")) ?? "localhost";
  const port = toWhole("port", url.port || find("port") || "5432", 65_535);
  const user = (decode(url.username) || variables.user) ?? userInfo().username;
  const database = (decode(url.pathname.slice(1)) || variables.dbname) ?? user;
  const timeoutS = find("connect_timeout");
  const given = (options.password ?? decode(url.password)) || variables.password;
  const name = `postgres://${host}:${port}/${database}?schema=${schema}`;
  let missing: ((cause: unknown) => AppError) | undefined;
  const connection: pg.ClientConfig = {
    host,
    port,
    user,
    database,
    // A function, so that the password is read only when the server asks for it, and is in no
    // object that could be printed.
    password: async () => {
      if (given !== undefined) return given;
      const file = variables.passfile;
      const found = await lookUpPassword(file, { host, port, database, user });
      if (found.password !== undefined) return found.password;
      missing = (cause) => noPassword(name, found.isOpen ? file : undefined, cause);
      // Do not throw here, because the server would wait: let it refuse the login.
      return "(none was given)";
    },
    application_name: find("application_name") ?? "forager",
    types: { getTypeParser },
  };
  return {
    connection,
    explainRefusal: (cause) => missing?.(cause),
    tls: readTls({
      host,
      mode: find("sslmode"),
      rootFile: find("sslrootcert"),
      certificateFile: find("sslcert"),
      keyFile: find("sslkey"),
      bad: badAddress,
    }),
    schema,
    lazy: readLazy(said.get("lazy")),
    connectMs: timeoutS === undefined ? undefined : readTimeout(timeoutS),
    name,
  };
}

/** As in libpq: 0 waits forever, and the minimum is 2 seconds. */
function readTimeout(text: string): number {
  const seconds = toWhole("connect_timeout", text, 86_400);
  return seconds === 0 ? 0 : Math.max(2, seconds) * 1_000;
}

function parse(address: string): URL {
  try {
    return new URL(address);
  } catch {
    // Without the cause, which quotes the address and thus a password.
    throw badAddress("it cannot be read as a URL");
  }
}

function readParameters(url: URL): ReadonlyMap<Parameter, string> {
  const said = new Map<Parameter, string>();
  for (const [name, value] of url.searchParams) {
    const known = parameters.find((parameter) => parameter === name);
    if (!known) throw badAddress(`there is no ${name}, only ${parameters.join(", ")}`);
    said.set(known, value);
  }
  return said;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badAddress("it has a bad % escape: write % as %25");
  }
}

function toWhole(name: string, text: string, max: number): number {
  if (/^\d+$/.test(text) && Number(text) <= max) return Number(text);
  throw badAddress(`${name} is "${text}", not a whole number up to ${max}`);
}

function readLazy(text: string | undefined): readonly LazyKind[] | undefined {
  return text
    ?.split(",")
    .filter((name) => name !== "")
    .map((name) => {
      const kind = lazyKinds.find((known) => known === name);
      if (!kind) throw badAddress(`lazy is "${name}", not one of ${lazyKinds.join(", ")}`);
      return kind;
    });
}

function badAddress(why: string, cause?: unknown): AppError {
  return new AppError(
    "invalid",
    "queue_address",
    `this is not the address of a PostgreSQL queue: ${why}; ` +
      `write it like postgres://user@host/database?schema=forager`,
    { cause },
  );
}

const int8 = 20;
const int8Array = 1016;

/** All our numbers are safe integers, so bigint is parsed as a number instead of text. */
const getTypeParser = ((oid: number, format?: "text" | "binary") => {
  if (oid === int8) return Number;
  if (oid === int8Array) {
    return (text: string) => (text === "{}" ? [] : text.slice(1, -1).split(",").map(Number));
  }
  return pg.types.getTypeParser(oid, format as "text") as unknown;
}) as typeof pg.types.getTypeParser;
