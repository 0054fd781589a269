import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeRelease } from "../../scripts/make-release.ts";
import { cacheFolder } from "../../scripts/project.ts";
import { repositoryRoot } from "./repository.ts";
import type { Services } from "./services.ts";

const run = promisify(execFile);

/** Containers of a test run: real ones, made without any registry. */
export interface Containers {
  /** Runs podman; resolves to what it prints. Rejects with its words. */
  podman(...args: string[]): Promise<string>;
  /** The exit code and the output of a program in a container that runs. */
  exec(name: string, ...command: string[]): Promise<Executed>;
  /** Debian with systemd, as a machine has it. */
  readonly baseImage: string;
  /** Builds the image of Forager from a release; by default for this machine, from one that is made for it. */
  buildImage(options?: ImageOptions): Promise<string>;
  /** The folder with a release for this machine, Node included. */
  release(): Promise<string>;
}

export interface ImageOptions {
  readonly image: string;
  /** As container images call it: `arm64`. */
  readonly architecture: string;
  readonly base: string;
  /** The folder of the release. */
  readonly release: string;
}

export interface Executed {
  readonly exitCode: number;
  readonly output: string;
}

const folder = join(cacheFolder, "containers");
const baseImage = "localhost/forager-test-base:2";
const packages = "systemd,systemd-sysv,dbus,ca-certificates,libstdc++6,openssh-server";
const outputMax = 64 * 1024 * 1024;

/**
 * Limits and runtime for machines where podman's own choice does not work: without the right to
 * raise limits, with control groups of both versions, and without systemd as the first process.
 */
const configuration = `[containers]
default_ulimits = ["nofile=10000:10000", "nproc=20000:20000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

/** Its arguments are the path of mmdebstrap, the file to make, and an option. */
const makeBase = `test -e "$1" || {
  "$0" --variant=minbase "$2" bookworm "$1.part.tar" && mv "$1.part.tar" "$1"
}`;

/** Each has hundreds of megabytes, and a run that was killed leaves its own. */
function removeOldReleases(): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^release-(\d+)$/.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

export async function openContainers(programs: Services["podman"]): Promise<Containers> {
  mkdirSync(folder, { recursive: true });
  const configFile = join(folder, "containers.conf");
  writeFileSync(configFile, configuration);
  const env = { ...process.env, CONTAINERS_CONF: configFile };
  const podman = async (...args: string[]) =>
    (await run(programs.podman, args, { env, maxBuffer: outputMax })).stdout.trim();
  const isThere = (image: string) =>
    podman("image", "exists", image).then(
      () => true,
      () => false,
    );
  if (!(await isThere(baseImage))) {
    const file = join(folder, "base-2.tar");
    // Test files run at the same time: one makes it, the others wait. A file that podman imports
    // must not be replaced.
    const make = ["sh", "-c", makeBase, programs.mmdebstrap, file, `--include=${packages}`];
    await run("flock", ["-w", "1800", `${file}.lock`, ...make], { maxBuffer: outputMax });
    await podman("import", file, baseImage);
  }
  let released: Promise<string> | undefined;
  const release = () =>
    (released ??= (async () => {
      removeOldReleases();
      // Test files run at the same time.
      const into = join(folder, `release-${process.pid}`);
      const platform = process.arch === "arm64" ? "linux-arm64" : "linux-x64";
      await makeRelease({ folder: into, platforms: [platform], hasNode: true });
      return into;
    })());
  return {
    podman,
    baseImage,
    release,
    async exec(name, ...command) {
      try {
        return { exitCode: 0, output: await podman("exec", name, ...command) };
      } catch (error) {
        const {
          code,
          stdout = "",
          stderr = "",
        } = error as {
          readonly code?: unknown;
          readonly stdout?: string;
          readonly stderr?: string;
        };
        return { exitCode: typeof code === "number" ? code : -1, output: stdout + stderr };
      }
    },
    async buildImage(options) {
      const own = process.arch === "arm64" ? "arm64" : "amd64";
      const {
        image = "localhost/forager-test:1",
        architecture: arch = own,
        base = baseImage,
        release: from = await release(),
      } = options ?? {};
      const file = join(repositoryRoot, "packaging/container/Containerfile");
      const format = ["--isolation", "chroot", "--format", "docker", "--timestamp", "0"];
      const variables = [`BASE=${base}`, `BUILD_BASE=${baseImage}`, `BUILDPLATFORM=linux/${own}`, `TARGETARCH=${arch}`]; // prettier-ignore
      const given = variables.flatMap((one) => ["--build-arg", one]);
      const args = ["bud", ...format, "--arch", arch, ...given, "-t", image, "-f", file, from];
      await run(programs.buildah, args, { env, maxBuffer: outputMax });
      return image;
    },
  };
}
