import pg from "pg";
import { AppError } from "../../../base/app-error.ts";
import { lazyKinds, type LazyKind } from "./lazy-kind.ts";

/** Where a queue is. What the address leaves out is taken from the PG* variables, as in libpq. */
export interface PostgresPlace {
  readonly connection: pg.ClientConfig;
  readonly schema: string;
  readonly lazy: readonly LazyKind[];
  /** For messages: no user, no password. */
  readonly name: string;
}

/** What wins over the address. */
export interface PlaceOptions {
  readonly schema?: string | undefined;
  readonly password?: string | undefined;
}

const schemaDefault = "forager";

/**
 * Reads `postgres://user:password@host:port/database?schema=name&lazy=claim,finish&sslmode=…`. TLS
 * as libpq users know it: sslmode, sslrootcert, sslcert, sslkey.
 */
export function readPlace(address: string, given: PlaceOptions = {}): PostgresPlace {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    // The cause would quote the address, and with it a password.
    throw badAddress("it cannot be read as a URL");
  }
  const schema = given.schema ?? url.searchParams.get("schema") ?? schemaDefault;
  if (schema === "" || Buffer.byteLength(schema) > 63 || schema.includes("\0")) {
    throw badAddress("the name of its schema must have 1 to 63 bytes");
  }
  if (given.password !== undefined) url.password = encodeURIComponent(given.password);
  const lazy = readLazy(url.searchParams.get("lazy"));
  for (const ours of ["schema", "lazy"]) url.searchParams.delete(ours);
  const host = url.hostname === "" ? "" : url.host;
  const connection = { connectionString: url.href, types: { getTypeParser } };
  return { connection, schema, lazy, name: `postgres://${host}${url.pathname}?schema=${schema}` };
}

function readLazy(text: string | null): readonly LazyKind[] {
  const names = (text ?? "").split(",").filter((name) => name !== "");
  return names.map((name) => {
    const kind = lazyKinds.find((known) => known === name);
    if (!kind) throw badAddress(`lazy is "${name}", not one of ${lazyKinds.join(", ")}`);
    return kind;
  });
}

function badAddress(why: string): AppError {
  return new AppError(
    "invalid",
    "queue_address",
    `this is not the address of a PostgreSQL queue: ${why}; ` +
      `write it like postgres://user@host/database?schema=forager`,
  );
}

const int8 = 20;
const int8Array = 1016;

/** All our numbers are safe integers, so that they need not come as text. */
const getTypeParser = ((oid: number, format?: "text" | "binary") => {
  if (oid === int8) return Number;
  if (oid === int8Array) {
    return (text: string) => (text === "{}" ? [] : text.slice(1, -1).split(",").map(Number));
  }
  return pg.types.getTypeParser(oid, format as "text") as unknown;
}) as typeof pg.types.getTypeParser;
