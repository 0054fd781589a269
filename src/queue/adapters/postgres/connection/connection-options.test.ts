import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { readLibpqVariables } from "../../../../config/index.ts";
import { readPlace, type PlaceOptions } from "./connection-options.ts";
import { matchLine } from "./pass-file.ts";

const passwordOf = (address: string, options: PlaceOptions = {}) => {
  const { password } = readPlace(address, options).connection;
  return (password as () => Promise<string>)();
};
const secret = "s3cr3t/+ü";

describe("an address", () => {
  test("says it all, with escapes", () => {
    const place = readPlace("postgres://anna%20b@db.example:5433/my%2Fdb?schema=q&lazy=add,claim");
    expect(place.connection).toMatchObject({
      host: "db.example",
      port: 5433,
      user: "anna b",
      database: "my/db",
      application_name: "forager",
    });
    expect(place).toMatchObject({ schema: "q", lazy: ["add", "claim"] });
  });

  test("leaves the rest to the variables, which it wins over", () => {
    const env = {
      PGHOST: "elsewhere",
      PGPORT: "7000",
      PGUSER: "env",
      PGDATABASE: "base",
      PGCONNECT_TIMEOUT: "7",
      PGAPPNAME: "mine",
      PGSSLMODE: "disable",
    };
    const variables = readLibpqVariables(env, "/home/me");
    expect(readPlace("postgres://", { variables })).toMatchObject({
      connection: { host: "elsewhere", port: 7000, user: "env", database: "base" },
      connectMs: 7_000,
      tls: { kind: "off" },
    });
    const own = readPlace("postgres://me@here:1/own?connect_timeout=1&application_name=x", {
      variables,
    });
    expect(own).toMatchObject({
      connection: { host: "here", port: 1, user: "me", database: "own", application_name: "x" },
      connectMs: 2_000, // libpq's least
    });
  });

  test("without anything is this machine, this user and a database of its name", () => {
    const { username } = userInfo();
    expect(readPlace("postgres://").connection).toMatchObject({
      host: "localhost",
      port: 5432,
      user: username,
      database: username,
    });
  });

  test("a folder as host is a socket, without TLS", () => {
    const place = readPlace("postgres:///db?host=/run/postgresql&sslmode=require");
    expect(place).toMatchObject({ connection: { host: "/run/postgresql" }, tls: { kind: "off" } });
  });

  test.each([
    ["postgres://h/d?schema=", "1 to 63 bytes"],
    ["postgres://h/d?port=x", 'port is "x"'],
    ["postgres://h/d?connect_timeout=-1", 'connect_timeout is "-1"'],
    ["postgres://h/d?lazy=add,never", 'lazy is "never"'],
    ["postgres://h/d?ssl=1", "there is no ssl, only schema, lazy"],
    ["postgres://h/%zz", "bad % escape"],
    ["postgres://h/d?sslmode=verify-ca", "needs sslrootcert"],
  ])("%s is refused: %s", (address, message) => {
    expect(() => readPlace(address)).toThrow(message);
  });
});

describe("the password", () => {
  test("is that of the settings, else of the address, else of PGPASSWORD", async () => {
    const variables = readLibpqVariables({ PGPASSWORD: "env" });
    expect(await passwordOf("postgres://u:url@h/d", { password: "set", variables })).toBe("set");
    expect(await passwordOf("postgres://u:u%2Frl@h/d", { variables })).toBe("u/rl");
    expect(await passwordOf("postgres://u@h/d", { variables })).toBe("env");
  });

  test("else of the file of passwords, if nobody else may read that", async () => {
    const folder = mkdtempSync(join(tmpdir(), "forager-pgpass-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const passfile = join(folder, "pgpass");
    writeFileSync(passfile, "h:5432:d:u:file\n", { mode: 0o600 });
    const variables = readLibpqVariables({ PGPASSFILE: passfile });
    expect(await passwordOf("postgres://u@h/d", { variables })).toBe("file");
    const place = readPlace("postgres://other@h/d", { variables });
    expect(place.explainRefusal(undefined)).toBeUndefined();
    await (place.connection.password as () => Promise<string>)();
    expect(place.explainRefusal(undefined)?.message).toContain("none is set");
  });

  test("is in nothing that can be printed", () => {
    const address = `postgres://u:${encodeURIComponent(secret)}@h/d`;
    for (const place of [readPlace(address), readPlace("postgres://u@h/d", { password: secret })]) {
      const shown = inspect(place, { depth: 9, showHidden: true }) + JSON.stringify(place);
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(encodeURIComponent(secret));
    }
  });
});

describe("a line of the file of passwords", () => {
  const login = { host: "h", port: 5432, database: "d", user: "u" };
  test.each([
    ["h:5432:d:u:p", "p"],
    ["*:*:*:*:p", "p"],
    ["#h:5432:d:u:no\nh:5432:d:u:p\n*:*:*:*:later", "p"],
    [String.raw`h:5432:d:u:a\:b\\c`, String.raw`a:b\c`],
    ["h:5432:d:v:p", undefined],
    ["h:5433:d:u:p", undefined],
    ["h:5432:d:u", undefined],
    ["h:5432:d:u:p\r\n", "p"],
    ["", undefined],
  ])("%j gives %j", (text, password) => {
    expect(matchLine(text, login)).toBe(password);
  });

  test("a socket is called localhost", () => {
    expect(matchLine("localhost:*:*:*:p", { ...login, host: "/run/postgresql" })).toBe("p");
  });
});
