// long: arm64
// needs: podman qemu
// inputs: src/** packaging/** scripts/** package.json package-lock.json tsconfig.json tsconfig.build.json
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openContainers } from "../support/containers.ts";
import { makeRelease } from "../../scripts/make-release.ts";
import { cacheFolder } from "../../scripts/project.ts";
import { readPackage } from "../support/package-tarball.ts";
import { needs } from "../support/services.ts";

const run = promisify(execFile);
const timeout = 1_200_000;

needs(["podman", "qemu"], ({ podman: programs, qemu }) => {
  const top = mkdtempSync(join(tmpdir(), "forager-arm64-"));
  const libraries = join(cacheFolder, "containers", "arm64");
  afterAll(() => rmSync(top, { recursive: true, force: true }));
  beforeAll(async () => {
    mkdirSync(join(cacheFolder, "containers"), { recursive: true });
    if (!existsSync(libraries)) {
      const packages = "--include=libc6,libstdc++6,libgcc-s1,ca-certificates";
      const args = ["--architectures=arm64", "--variant=extract", packages, "bookworm"];
      await run(programs.mmdebstrap, [...args, `${libraries}.new`], {
        maxBuffer: 64 * 1024 * 1024,
      });
      renameSync(`${libraries}.new`, libraries);
    }
    const release = join(top, "release");
    await makeRelease({ folder: release, platforms: ["linux-arm64"], hasNode: true });
    const archive = `forager-${readPackage().version}-linux-arm64.tar.gz`;
    await run("tar", ["-xzf", join(release, archive), "-C", top]);
  }, timeout);

  /** The Node of the release, for ARM, with the libraries of Debian for ARM. */
  const forager = async (...words: string[]) => {
    const program = [join(top, "forager/bin/node"), join(top, "forager/dist/cli/main.js")];
    const options = { env: { HOME: top, PATH: "/usr/bin:/bin" }, cwd: top };
    return (await run(qemu.arm64, ["-L", libraries, ...program, ...words], options)).stdout;
  };

  test(
    "the release for a Raspberry Pi runs, with its own Node and SQLite",
    { timeout },
    async () => {
      const said = JSON.parse(await forager("version", "--json")) as Record<string, string>;
      expect(said).toMatchObject({ platform: "linux-arm64" });
      expect(said["release"]).toMatch(/-[0-9a-f]{8}$/);
      expect(await forager("doctor")).toMatch(/sqlite +ok/);
      await forager("queue", "add", "step", "{}");
      expect(JSON.parse(await forager("queue", "stats", "--json"))).toMatchObject({
        states: { pending: 1 },
      });
    },
  );

  test(
    "B25: the image for ARM is built without emulation, and its program runs",
    { timeout },
    async () => {
      const containers = await openContainers(programs);
      const base = "localhost/forager-test-arm64-base:1";
      const [tar, name] = [join(top, "base.tar"), `forager-test-arm64-${process.pid}`];
      await run("tar", ["-cf", tar, "-C", libraries, "."]);
      // By its id, because this buildah does not find images for other platforms by their names.
      const id = (await containers.podman("import", "--arch", "arm64", tar, base))
        .split(":")
        .at(-1)!;
      const image = await containers.buildImage({
        image: "localhost/forager-test-arm64:1",
        architecture: "arm64",
        base: id,
        release: join(top, "release"),
      });
      expect(await containers.podman("inspect", "-f", "{{.Os}}/{{.Architecture}}", image)).toBe("linux/arm64"); // prettier-ignore
      await containers.podman("create", "--name", name, image);
      const root = join(top, "root");
      mkdirSync(root);
      try {
        await containers.podman("export", "-o", join(top, "root.tar"), name);
      } finally {
        await containers.podman("rm", name);
      }
      await run("tar", ["-xf", join(top, "root.tar"), "-C", root]);
      const program = [
        join(root, "opt/forager/bin/node"),
        join(root, "opt/forager/dist/cli/main.js"),
      ];
      const args = ["-L", root, ...program, "version", "--json"];
      const { stdout } = await run(qemu.arm64, args, { env: { HOME: top }, cwd: top });
      expect(JSON.parse(stdout)).toMatchObject({ platform: "linux-arm64" });
    },
  );
});
