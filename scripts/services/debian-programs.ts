import { AppError } from "../../src/base/app-error.ts";
import { installPackages } from "./apt.ts";
import { findProgram } from "./command.ts";
import type { Service, ServiceContext } from "./service.ts";

interface Programs {
  /** By the variable that tells tests where it is. */
  readonly names: Readonly<Record<string, string>>;
  readonly packages: readonly string[];
  /** How long it takes and how much it fetches. */
  readonly note: string;
}

/** Programs of Debian packages that tests run by themselves: nothing has to be started or stopped. */
const providing =
  ({ names, packages, note }: Programs) =>
  async ({ print }: ServiceContext): Promise<Service> => {
    const advice = `${Object.values(names).join(" and ")} not installed. On Debian or Ubuntu: sudo apt-get install ${packages.join(" ")}.`;
    const find = async () => {
      const paths = Object.entries(names).map(
        async ([variable, name]) => [variable, await findProgram([name])] as const,
      );
      const found = await Promise.all(paths);
      return found.every((one): one is [string, string] => one[1] !== undefined)
        ? Object.fromEntries(found)
        : undefined;
    };
    if (!(await find())) await installPackages({ packages, note, advice, print });
    const env = await find();
    if (!env) throw new AppError("unavailable", "service_missing", advice);
    return { env, pids: [], stop: async () => {} };
  };

/** Reads extracts of OpenStreetMap. */
export const startOsmium = providing({
  names: { FORAGER_TEST_OSMIUM: "osmium" },
  packages: ["osmium-tool"],
  note: "about 5 s, 2 MB",
});

/** Shells with completion, beside bash, which is everywhere. */
export const startShells = providing({
  names: { FORAGER_TEST_ZSH: "zsh", FORAGER_TEST_FISH: "fish" },
  packages: ["zsh", "fish"],
  note: "about 10 s, 8 MB",
});

/** Checks shell scripts. */
export const startShellcheck = providing({
  names: { FORAGER_TEST_SHELLCHECK: "shellcheck" },
  packages: ["shellcheck"],
  note: "about 10 s, 6 MB",
});

/** Judges unit files. systemd need not run. */
export const startSystemd = providing({
  names: { FORAGER_TEST_SYSTEMD_ANALYZE: "systemd-analyze" },
  packages: ["systemd"],
  note: "about 10 s, 12 MB",
});

/** Server and client of ssh. Tests start servers of their own on loopback. */
export const startSshd = providing({
  names: {
    FORAGER_TEST_SSHD: "sshd",
    FORAGER_TEST_SSH: "ssh",
    FORAGER_TEST_SSH_KEYGEN: "ssh-keygen",
  },
  packages: ["openssh-server", "openssh-client"],
  note: "about 10 s, 2 MB",
});

/** Builds and runs containers, on a base that mmdebstrap makes of Debian packages. */
export const startPodman = providing({
  names: {
    FORAGER_TEST_PODMAN: "podman",
    FORAGER_TEST_BUILDAH: "buildah",
    FORAGER_TEST_RUNC: "runc",
    FORAGER_TEST_MMDEBSTRAP: "mmdebstrap",
  },
  packages: ["podman", "buildah", "runc", "mmdebstrap"],
  note: "about 60 s, 60 MB",
});

/** Runs programs for 64-bit ARM. */
export const startQemu = providing({
  names: { FORAGER_TEST_QEMU_ARM64: "qemu-aarch64-static" },
  packages: ["qemu-user-static"],
  note: "about 20 s, 40 MB",
});
