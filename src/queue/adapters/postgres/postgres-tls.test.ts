// needs: postgres
// inputs: scripts/services/** src/queue/** src/base/**
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOwnPostgres, type OwnPostgres } from "../../../../test/support/own-postgres.ts";
import { needs } from "../../../../test/support/services.ts";
import { readPlace } from "./connection/connection-options.ts";
import { openDatabase } from "./connection/database.ts";

const limits = { statementMs: 10_000, lockMs: 5_000, connectMs: 5_000 };

/** What the server says of the session that this address gets. */
async function ask(url: string, variables = {}): Promise<boolean> {
  const place = readPlace(url, { variables });
  const db = openDatabase({ place, connectionsMax: 4, idleMax: 2, names: "auto", ...limits });
  try {
    const [row] = await db.query<{ ssl: boolean }>(
      "select ssl from pg_stat_ssl where pid = pg_backend_pid()",
    );
    return row!.ssl;
  } finally {
    await db.close();
  }
}

needs(["postgres"], ({ postgres }) => {
  let folder: string;
  let server: OwnPostgres;
  const at = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });

  /** An authority, and what it says: this key belongs to `name`. */
  function makeAuthority(name: string): void {
    const subject = ["-subj", `/CN=${name}`, "-days", "2", "-nodes"];
    openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-keyout",
      `${name}.key`,
      ...subject,
      "-out",
      `${name}.crt`,
    );
  }
  function makeCertificate(name: string, authority: string): void {
    openssl(
      "req",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      `${name}.key`,
      "-subj",
      `/CN=${name}`,
      "-out",
      `${name}.csr`,
    );
    const signer = ["-CA", `${authority}.crt`, "-CAkey", `${authority}.key`, "-CAcreateserial"];
    openssl("x509", "-req", "-in", `${name}.csr`, ...signer, "-days", "2", "-out", `${name}.crt`);
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "forager-tls-"));
    chmodSync(folder, 0o755);
    makeAuthority("authority");
    makeAuthority("stranger");
    makeCertificate("localhost", "authority");
    server = await startOwnPostgres({
      settings: [
        "ssl=on",
        `ssl_cert_file=${at("localhost.crt")}`,
        `ssl_key_file=${at("localhost.key")}`,
      ],
      prepare: async (_, owner) => {
        chmodSync(at("localhost.key"), 0o600);
        if (owner) chownSync(at("localhost.key"), owner.uid, owner.gid);
      },
    });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** The certificate is for localhost, not for 127.0.0.1. */
  const address = (query: string, host = "localhost") =>
    `${server.url.replace("127.0.0.1", host)}?${query}`;

  test.each([
    ["", true],
    ["sslmode=prefer", true],
    ["sslmode=disable", false],
    ["sslmode=require", true],
  ])("with '%s' the session is encrypted: %s", async (query, isEncrypted) => {
    expect(await ask(address(query))).toBe(isEncrypted);
  });

  test("prefer takes a server that cannot; require does not", async () => {
    expect(await ask(`${postgres.url}?sslmode=prefer`)).toBe(false);
    await expect(ask(`${postgres.url}?sslmode=require`)).rejects.toMatchObject({
      kind: "unavailable",
      code: "queue_unreachable",
      message: expect.stringContaining("does not support SSL"),
    });
  });

  test("a certificate is checked against its authority: verify-ca, verify-full, and require with a root", async () => {
    for (const mode of ["verify-ca", "verify-full", "require"]) {
      expect(await ask(address(`sslmode=${mode}&sslrootcert=${at("authority.crt")}`)), mode).toBe(
        true,
      );
      await expect(
        ask(address(`sslmode=${mode}&sslrootcert=${at("stranger.crt")}`)),
        mode,
      ).rejects.toMatchObject({ kind: "unavailable", code: "queue_unreachable" });
    }
  });

  test("only verify-full checks the name, and without a root takes public authorities alone", async () => {
    const root = `sslrootcert=${at("authority.crt")}`;
    expect(await ask(address(`sslmode=verify-ca&${root}`, "127.0.0.1"))).toBe(true);
    for (const query of [`sslmode=verify-full&${root}`, "sslmode=verify-full&sslrootcert=system"]) {
      await expect(ask(address(query, "127.0.0.1")), query).rejects.toMatchObject({
        code: "queue_unreachable",
      });
    }
    await expect(ask(address("sslmode=verify-full"))).rejects.toMatchObject({
      code: "queue_unreachable",
    });
  });

  test("PGSSLMODE and PGSSLROOTCERT say the same", async () => {
    const variables = { sslmode: "verify-full", sslrootcert: at("authority.crt") };
    expect(await ask(address(""), variables)).toBe(true);
    await expect(
      ask(address(""), { ...variables, sslrootcert: at("stranger.crt") }),
    ).rejects.toMatchObject({ code: "queue_unreachable" });
  });

  test("a client certificate stands in for the password", async () => {
    makeCertificate("postgres", "authority");
    const { data } = server;
    // A client without a certificate of this authority is not even asked for a password.
    await server.stop();
    const file = join(data, "pg_hba.conf");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, "hostssl all all all cert\nhostnossl all all all scram-sha-256\n");
    await server.start([`ssl_ca_file=${at("authority.crt")}`]);
    const keys = `sslcert=${at("postgres.crt")}&sslkey=${at("postgres.key")}`;
    expect(await ask(address(`sslmode=require&${keys}`))).toBe(true);
    await expect(ask(address("sslmode=require"))).rejects.toMatchObject({
      code: "queue_login_refused",
    });
    writeFileSync(file, before);
  });
});
