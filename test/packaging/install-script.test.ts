// needs: shellcheck
// inputs: packaging/**
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hostScript } from "../../src/ship/deploy/host-script.ts";
import { repositoryRoot } from "../support/repository.ts";
import { needs } from "../support/services.ts";

const script = join(repositoryRoot, "packaging/install.sh");
const platform = `linux-${process.arch}`;
const isSupported = process.platform === "linux" && /^(?:x64|arm64)$/.test(process.arch);

needs(["shellcheck"], ({ shellcheck }) => {
  test.each(["packaging/install.sh", "packaging/bin/forager", "bin/forager"])(
    "shellcheck has nothing to say about %s",
    (path) => {
      const { status, stdout } = spawnSync(shellcheck.path, [join(repositoryRoot, path)], {
        encoding: "utf8",
      });
      expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    },
  );

  test("shellcheck has nothing to say about what `forager deploy` runs on hosts", () => {
    const { status, stdout } = spawnSync(shellcheck.path, ["--shell=sh", "-"], {
      encoding: "utf8",
      input: hostScript,
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });
});

test("a download that was cut off anywhere runs nothing", () => {
  const text = readFileSync(script, "utf8");
  const lines = text.trimEnd().split("\n");
  expect(lines.at(-1)).toBe('main "$@"');
  // Outside of functions there is nothing but comments, `set` and a list of names.
  const outside = text
    .replaceAll(/^\w+\(\) \{[^]*?^\}$/gm, "")
    .replaceAll(/^\w+\(\) \{.*\}$/gm, "");
  const commands = outside.split("\n").filter((line) => /^[^#\s]/.test(line));
  expect(
    commands.filter((line) => !/^(?:set -eu|completion_files=|zsh:|fish:)/.test(line)),
  ).toEqual(['main "$@"']);
});

describe.skipIf(!isSupported)("install.sh", () => {
  let top = "";
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), "forager-install-"));
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  /** An archive with a program that only says its version; its name and checksum are right. */
  function makeArchive(version: string, { madeFor = platform, program = "" } = {}): string {
    const folder = join(top, `make-${version}`, "forager");
    mkdirSync(join(folder, "bin"), { recursive: true });
    cpSync(join(repositoryRoot, "packaging/systemd"), join(folder, "systemd"), { recursive: true });
    const id = `${version}-0123abcd`;
    const release = { format: 1, version, id, platform: madeFor };
    writeFileSync(join(folder, "release.json"), JSON.stringify(release, null, 2));
    const says = `case $1 in version) echo ${version} ;; completion) echo "for $2" ;; esac`;
    writeFileSync(join(folder, "bin", "forager"), `#!/bin/sh\n${program || says}\n`);
    chmodSync(join(folder, "bin", "forager"), 0o755);
    const name = `forager-${version}-${platform}.tar.gz`;
    const releases = join(top, "release");
    mkdirSync(releases, { recursive: true });
    execFileSync("tar", ["-czf", join(releases, name), "-C", join(folder, ".."), "forager"]);
    const hash = createHash("sha256").update(readFileSync(join(releases, name)));
    writeFileSync(join(releases, "SHA256SUMS"), `${hash.digest("hex")}  ${name}\n`, { flag: "a" });
    return join(releases, name);
  }

  const install = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync("sh", [script, ...args], { encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const at = (path: string) => join(top, "root", path);
  const intoRoot = (...args: string[]) => install("--root", join(top, "root"), ...args);
  const listed = (folder: string) =>
    execFileSync("find", [folder, "-printf", "%P %m %s %l\n"], { encoding: "utf8" });

  test("puts program, settings, unit and completions into their places", () => {
    const result = intoRoot("--from", makeArchive("1.0.0"), "--browser");
    expect(result).toMatchObject({ status: 0, stderr: "" });
    expect(result.stdout).toContain("installed Forager 1.0.0 (1.0.0-0123abcd)");
    expect(readlinkSync(at("opt/forager/current"))).toBe("releases/1.0.0-0123abcd");
    expect(readlinkSync(at("usr/local/bin/forager"))).toBe("/opt/forager/current/bin/forager");
    expect(readFileSync(at("etc/systemd/system/forager.service"), "utf8")).toBe(
      readFileSync(join(repositoryRoot, "packaging/systemd/forager.service"), "utf8"),
    );
    expect(existsSync(at("etc/systemd/system/forager.service.d/browser.conf"))).toBe(true);
    expect(readFileSync(at("etc/forager/forager.toml"), "utf8")).toContain(
      'data = "/var/lib/forager"',
    );
    expect(statSync(at("etc/forager/forager.toml")).mode & 0o777).toBe(0o640);
    expect(statSync(at("var/lib/forager")).mode & 0o777).toBe(0o750);
    for (const [shell, file] of [
      ["bash", "usr/share/bash-completion/completions/forager"],
      ["zsh", "usr/local/share/zsh/site-functions/_forager"],
      ["fish", "usr/share/fish/vendor_completions.d/forager.fish"],
    ] as const)
      expect(readFileSync(at(file), "utf8")).toBe(`for ${shell}\n`);
  });

  test("again changes nothing, and leaves settings alone", () => {
    const archive = makeArchive("1.0.0");
    intoRoot("--from", archive);
    writeFileSync(at("etc/forager/forager.toml"), "# mine\n");
    const before = listed(at("."));
    const again = intoRoot("--from", archive);
    expect(again).toMatchObject({ status: 0, stderr: "" });
    expect(again.stdout).toContain("is here already");
    expect(listed(at("."))).toBe(before);
    expect(readFileSync(at("etc/forager/forager.toml"), "utf8")).toBe("# mine\n");
  });

  test("an update keeps the release before it, and removes the oldest ones", () => {
    for (const version of ["1.0.0", "1.1.0", "1.2.0", "1.3.0"])
      expect(intoRoot("--from", makeArchive(version)).status).toBe(0);
    expect(readlinkSync(at("opt/forager/current"))).toBe("releases/1.3.0-0123abcd");
    expect(readlinkSync(at("opt/forager/previous"))).toBe("releases/1.2.0-0123abcd");
    const kept = readdirSync(at("opt/forager/releases"));
    expect(kept).toHaveLength(3);
    expect(kept).toEqual(expect.arrayContaining(["1.3.0-0123abcd", "1.2.0-0123abcd"]));
  });

  test("a release that does not run on this machine is not put in place", () => {
    intoRoot("--from", makeArchive("1.0.0"));
    const broken = intoRoot("--from", makeArchive("1.1.0", { program: "exit 1" }));
    expect(broken.status).toBe(1);
    expect(broken.stderr).toContain("1.1.0-0123abcd does not run on this machine");
    expect(readlinkSync(at("opt/forager/current"))).toBe("releases/1.0.0-0123abcd");
  });

  test("a damaged archive, one without a checksum and one of another machine are refused", () => {
    const archive = makeArchive("1.0.0");
    const bytes = readFileSync(archive);
    writeFileSync(archive, Buffer.concat([bytes, Buffer.from([0])]));
    expect(intoRoot("--from", archive).stderr).toMatch(/damaged or not the right file/);
    writeFileSync(archive, bytes);
    expect(intoRoot("--from", archive, "--sha256", "00").stderr).toContain("not 00");
    rmSync(join(top, "release", "SHA256SUMS"));
    expect(intoRoot("--from", archive).stderr).toContain("pass the checksum with --sha256");
    const other = makeArchive("2.0.0", { madeFor: "linux-riscv64" });
    expect(intoRoot("--from", other).stderr).toContain("is for linux-riscv64");
    expect(intoRoot("--from", join(top, "nothing")).stderr).toContain("there is no file");
    expect(existsSync(at("opt"))).toBe(false);
  });

  test("without --from it takes the archive for this machine that lies beside it", () => {
    makeArchive("1.0.0");
    cpSync(script, join(top, "release", "install.sh"));
    const root = join(top, "root");
    const beside = spawnSync("sh", [join(top, "release", "install.sh"), "--root", root], {
      encoding: "utf8",
    });
    expect(beside).toMatchObject({ status: 0, stderr: "" });
    expect(existsSync(at("opt/forager/current/bin/forager"))).toBe(true);
    expect(intoRoot().stderr).toMatch(/there is no forager-\S+\.tar\.gz in .*--from/);
  });

  test("--dry-run prints what it would do, and does nothing", () => {
    const archive = makeArchive("1.0.0");
    const dry = intoRoot("--from", archive, "--dry-run", "--browser");
    expect(dry).toMatchObject({ status: 0, stderr: "" });
    expect(dry.stdout).toMatch(/^\+ tar -xzf /m);
    expect(dry.stdout).toMatch(/^\+ write \S+forager\.service \(mode 0644\)$/m);
    expect(existsSync(join(top, "root"))).toBe(false);
  });

  test("--uninstall keeps data and settings, --purge does not", () => {
    const dropIns = at("etc/systemd/system/forager.service.d");
    const archive = makeArchive("1.0.0");
    intoRoot("--from", archive, "--browser");
    expect(intoRoot("--uninstall").status).toBe(0);
    expect(existsSync(dropIns)).toBe(false);
    intoRoot("--from", archive, "--browser");
    const mine = join(dropIns, "override.conf");
    writeFileSync(mine, "[Service]\n");
    const removed = intoRoot("--uninstall");
    expect(removed).toMatchObject({ status: 0, stderr: "" });
    const files = execFileSync("find", [at("."), "-type", "f"], { encoding: "utf8" });
    expect(files.trim().split("\n").toSorted()).toEqual([at("etc/forager/forager.toml"), mine]);
    expect(existsSync(at("opt/forager"))).toBe(false);
    expect(intoRoot("--uninstall", "--purge").status).toBe(0);
    expect(existsSync(at("etc/forager"))).toBe(false);
    expect(existsSync(at("var/lib/forager"))).toBe(false);
    expect(existsSync(dropIns)).toBe(false);
  });

  test("wrong options are refused before anything happens", () => {
    expect(install("--frm", "x")).toMatchObject({ status: 1 });
    expect(install("--frm", "x").stderr).toContain("unknown option --frm");
    expect(install("--from").stderr).toContain("--from needs a value");
    expect(install("--purge").stderr).toContain("--purge goes with --uninstall");
    expect(install("--help")).toMatchObject({ status: 0, stderr: "" });
  });
});
