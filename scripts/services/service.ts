/**
 * A real server that tests run against. Each is started by a keeper process of its own (see
 * keeper.ts), on loopback, on free ports, in a temporary folder that is gone after `stop`.
 */
export interface Service {
  /** The environment variables that tell tests where the server is. */
  readonly env: Readonly<Record<string, string>>;
  /** Process ids of the server, for whoever wants to see that they are gone. */
  readonly pids: readonly number[];
  /** Ends what clients talk to and starts it again at the same address; what is stored stays. */
  restart?(): Promise<void>;
  /** Ends the server and removes its folder. Bounded: what does not end is killed. */
  stop(): Promise<void>;
}

export interface ServiceContext {
  /** An empty folder for everything the server writes, removed by the keeper afterwards. */
  readonly folder: string;
  /** Says what is being done, for waits a person would wonder about. */
  readonly print: (line: string) => void;
  /** Fires when nobody wants the service any more. */
  readonly signal: AbortSignal;
}

export type ServiceName =
  | "postgres"
  | "postgres15"
  | "pgbouncer"
  | "s3"
  | "promtool"
  | "namespaces"
  | "avahi"
  | "otheruser"
  | "loopdisks"
  | "osmium"
  | "shells"
  | "shellcheck"
  | "systemd"
  | "sshd"
  | "podman"
  | "qemu";

export const serviceNames: readonly ServiceName[] = [
  "postgres",
  "postgres15",
  "pgbouncer",
  "s3",
  "promtool",
  "namespaces",
  "avahi",
  "otheruser",
  "loopdisks",
  "osmium",
  "shells",
  "shellcheck",
  "systemd",
  "sshd",
  "podman",
  "qemu",
];

export function isServiceName(name: string): name is ServiceName {
  return (serviceNames as readonly string[]).includes(name);
}

/** The variables of each service; the first one decides whether the service is there. */
export const serviceVariables: Readonly<Record<ServiceName, readonly [string, ...string[]]>> = {
  postgres: ["FORAGER_TEST_POSTGRES_URL"],
  postgres15: ["FORAGER_TEST_POSTGRES15_URL"],
  pgbouncer: ["FORAGER_TEST_PGBOUNCER_URL", "FORAGER_TEST_PGBOUNCER_DIRECT_URL"],
  s3: [
    "FORAGER_TEST_S3_ENDPOINT",
    "FORAGER_TEST_S3_ACCESS_KEY",
    "FORAGER_TEST_S3_SECRET_KEY",
    "FORAGER_TEST_S3_REGION",
  ],
  promtool: ["FORAGER_TEST_PROMTOOL"],
  namespaces: ["FORAGER_TEST_NAMESPACES"],
  avahi: ["FORAGER_TEST_AVAHI_DAEMON", "FORAGER_TEST_AVAHI_TOOLS", "FORAGER_TEST_AVAHI_BUS"],
  otheruser: ["FORAGER_TEST_OTHER_UID"],
  loopdisks: ["FORAGER_TEST_MKFS"],
  osmium: ["FORAGER_TEST_OSMIUM"],
  shells: ["FORAGER_TEST_ZSH", "FORAGER_TEST_FISH"],
  shellcheck: ["FORAGER_TEST_SHELLCHECK"],
  systemd: ["FORAGER_TEST_SYSTEMD_ANALYZE"],
  sshd: ["FORAGER_TEST_SSHD", "FORAGER_TEST_SSH", "FORAGER_TEST_SSH_KEYGEN"],
  podman: [
    "FORAGER_TEST_PODMAN",
    "FORAGER_TEST_BUILDAH",
    "FORAGER_TEST_RUNC",
    "FORAGER_TEST_MMDEBSTRAP",
  ],
  qemu: ["FORAGER_TEST_QEMU_ARM64"],
};

/** Holds the reason why a service could not be had, so that the test that needs it can tell. */
export function missingVariable(name: ServiceName): string {
  return `FORAGER_TEST_MISSING_${name.toUpperCase()}`;
}
