import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseTestHeader } from "../../scripts/checks/test-header.ts";
import {
  isServiceName,
  missingVariable,
  serviceVariables,
} from "../../scripts/services/service.ts";
import type { ServiceName } from "../../scripts/services/service.ts";

/** Where each service is. */
export interface Services {
  readonly postgres: { readonly url: string };
  /** The oldest version that is promised. */
  readonly postgres15: { readonly url: string };
  /** In transaction mode, and the server behind it. */
  readonly pgbouncer: { readonly url: string; readonly directUrl: string };
  readonly s3: {
    readonly endpoint: string;
    readonly accessKey: string;
    readonly secretKey: string;
    readonly region: string;
    /** The configuration file for `radosgw-admin`; empty for a server of your own. */
    readonly admin: string;
  };
  /** A program, no server. */
  readonly promtool: { readonly path: string };
  /** Networks of a test's own: see test/support/namespaces.ts. */
  readonly namespaces: { readonly ip: string };
  /** Programs that a test starts in such a network: see test/support/avahi.ts. */
  readonly avahi: { readonly daemon: string; readonly tools: string; readonly bus: string };
  /** Programs can be started as this user, who owns nothing here. */
  readonly otheruser: { readonly uid: number };
  /** Disks in files, which a test can copy as a power cut would leave them: test/power-cut. */
  readonly loopdisks: { readonly mkfs: string };
  /** A program, no server. */
  readonly osmium: { readonly path: string };
  /** Shells that complete commands, beside bash. */
  readonly shells: { readonly zsh: string; readonly fish: string };
  /** A program, no server. */
  readonly shellcheck: { readonly path: string };
  /** Judges unit files; systemd need not run. */
  readonly systemd: { readonly analyze: string };
  /** Programs, no server: see test/support/ssh-hosts.ts. */
  readonly sshd: { readonly server: string; readonly client: string; readonly keygen: string };
  /** Containers: see test/support/containers.ts. */
  readonly podman: {
    readonly podman: string;
    readonly buildah: string;
    readonly mmdebstrap: string;
  };
  /** Runs programs for 64-bit ARM. */
  readonly qemu: { readonly arm64: string };
}

/**
 * Declares tests that run against real services:
 *
 *     // needs: postgres
 *     needs(["postgres"], ({ postgres }) => {
 *       test("…", async () => connect(postgres.url));
 *     });
 *
 * Where one is absent the tests are not declared. Instead, under CI=true a test fails that says
 * what is missing and how to get it; elsewhere one is skipped, aloud. The comment at the head of
 * the file is what starts the services, so a name that is not in it fails anywhere.
 */
export function needs<const Name extends ServiceName>(
  names: readonly Name[],
  declareTests: (services: Pick<Services, Name>) => void,
): void {
  const declared = declaredNeeds();
  for (const name of names) {
    if (!isServiceName(name)) throw new Error(`there is no service "${String(name)}"`);
    if (!declared.includes(name))
      throw new Error(`add "// needs: ${name}" to the comment at the head of this file`);
  }
  const absent = names.filter((name) => !process.env[serviceVariables[name][0]]);
  if (absent.length === 0) {
    const found = Object.fromEntries(names.map((name) => [name, readers[name]()]));
    describe(`with ${names.join(" and ")}`, () => declareTests(found as Pick<Services, Name>));
    return;
  }
  const reason = `needs ${absent.join(" and ")} (${absent.map(howToGet).join("; ")})`;
  if (process.env["CI"] === "true") {
    test(reason, () => {
      throw new Error(reason);
    });
  } else {
    process.stderr.write(`skipped: ${reason}\n`);
    test.skip(`skipped: ${reason}`, () => {});
  }
}

const readers: { readonly [Name in ServiceName]: () => Services[Name] } = {
  postgres: () => ({ url: variable("FORAGER_TEST_POSTGRES_URL") }),
  postgres15: () => ({ url: variable("FORAGER_TEST_POSTGRES15_URL") }),
  pgbouncer: () => ({
    url: variable("FORAGER_TEST_PGBOUNCER_URL"),
    directUrl: variable("FORAGER_TEST_PGBOUNCER_DIRECT_URL"),
  }),
  s3: () => ({
    endpoint: variable("FORAGER_TEST_S3_ENDPOINT"),
    accessKey: variable("FORAGER_TEST_S3_ACCESS_KEY"),
    secretKey: variable("FORAGER_TEST_S3_SECRET_KEY"),
    region: variable("FORAGER_TEST_S3_REGION"),
    admin: process.env["FORAGER_TEST_S3_ADMIN"] ?? "",
  }),
  promtool: () => ({ path: variable("FORAGER_TEST_PROMTOOL") }),
  namespaces: () => ({ ip: variable("FORAGER_TEST_NAMESPACES") }),
  avahi: () => ({
    daemon: variable("FORAGER_TEST_AVAHI_DAEMON"),
    tools: variable("FORAGER_TEST_AVAHI_TOOLS"),
    bus: variable("FORAGER_TEST_AVAHI_BUS"),
  }),
  otheruser: () => ({ uid: Number(variable("FORAGER_TEST_OTHER_UID")) }),
  loopdisks: () => ({ mkfs: variable("FORAGER_TEST_MKFS") }),
  osmium: () => ({ path: variable("FORAGER_TEST_OSMIUM") }),
  shells: () => ({ zsh: variable("FORAGER_TEST_ZSH"), fish: variable("FORAGER_TEST_FISH") }),
  shellcheck: () => ({ path: variable("FORAGER_TEST_SHELLCHECK") }),
  systemd: () => ({ analyze: variable("FORAGER_TEST_SYSTEMD_ANALYZE") }),
  sshd: () => ({
    server: variable("FORAGER_TEST_SSHD"),
    client: variable("FORAGER_TEST_SSH"),
    keygen: variable("FORAGER_TEST_SSH_KEYGEN"),
  }),
  podman: () => ({
    podman: variable("FORAGER_TEST_PODMAN"),
    buildah: variable("FORAGER_TEST_BUILDAH"),
    mmdebstrap: variable("FORAGER_TEST_MMDEBSTRAP"),
  }),
  qemu: () => ({ arm64: variable("FORAGER_TEST_QEMU_ARM64") }),
};

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set, though others of its service are`);
  return value;
}

function declaredNeeds(): readonly ServiceName[] {
  const file = expect.getState().testPath!;
  return parseTestHeader(file, readFileSync(file, "utf8")).needs;
}

function howToGet(name: ServiceName): string {
  return (
    process.env[missingVariable(name)] ??
    "`npm test -- PART_OF_PATH` starts it for this file; `npm run services` starts it for vitest"
  );
}
