// needs: shells
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registry } from "../../src/cli/registry.ts";
import { builtCli, createSandbox, type Sandbox } from "../support/built-cli.ts";
import { needs } from "../support/services.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
  writeFileSync(join(sandbox.folder, "some file.toml"), "");
  mkdirSync(join(sandbox.folder, "folder"));
});
afterEach(() => sandbox.remove());

/** What is offered for the last of these words, in any order. */
type Complete = (words: readonly string[]) => Promise<readonly string[]>;

const scriptsByShell = new Map<string, string>();

async function scriptFor(shell: string): Promise<string> {
  const made = scriptsByShell.get(shell);
  if (made !== undefined) return made;
  const { exitCode, stdout, stderr } = await sandbox.forager(["completion", shell]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  scriptsByShell.set(shell, stdout);
  return stdout;
}

const env = () => ({ PATH: `${join(sandbox.folder, "bin")}:${process.env["PATH"] ?? ""}` });

const completeInBash: Complete = async (words) => {
  writeFileSync(join(sandbox.folder, "forager.bash"), await scriptFor("bash"));
  const result = await sandbox.run(
    "bash",
    [
      "--norc",
      "-c",
      `source ./forager.bash
    [[ $(complete -p forager) == "complete -F _forager forager" ]] || exit 9
    COMP_WORDS=(forager "$@")
    COMP_CWORD=$#
    _forager
    printf '%s\\n' "\${COMPREPLY[@]}"`,
      "bash",
      ...words,
    ],
    { env: env() },
  );
  return offersOf(result);
};

/** The completion system works on a live line only, so the functions it lends are played here. */
const completeInZsh: Complete = async (words) => {
  writeFileSync(join(sandbox.folder, "_forager"), await scriptFor("zsh"));
  const result = await sandbox.run(
    "zsh",
    [
      "-f",
      "-c",
      `compdef() { [[ "$*" == "_forager forager" ]] || exit 9 }
    _describe() { local name=\${@[-1]} pair; for pair in \${(P)name}; do print -r -- \${pair%%:*}; done }
    _files() { if [[ $1 == -/ ]]; then print -rl -- *(/); else print -rl -- *(.) *(/); fi }
    compset() { words[CURRENT]=\${words[CURRENT]#*=} }
    source ./_forager
    words=(forager "$@")
    CURRENT=$(($# + 1))
    _forager | grep -e "^\${words[CURRENT]#*=}"
    true`,
      "zsh",
      ...words,
    ],
    { env: env() },
  );
  return offersOf(result);
};

/** Scripts ask the program itself, by its name. */
async function putForagerOnPath(): Promise<void> {
  const bin = join(sandbox.folder, "bin");
  mkdirSync(bin, { recursive: true });
  const text = `#!/bin/sh\nexec "${process.execPath}" "${await builtCli()}" "$@"\n`;
  writeFileSync(join(bin, "forager"), text, { mode: 0o755 });
}

function offersOf(result: { exitCode: number | null; stdout: string; stderr: string }): string[] {
  expect({ exitCode: result.exitCode, stderr: result.stderr }).toEqual({ exitCode: 0, stderr: "" });
  return result.stdout.split("\n").filter(Boolean).sort();
}

function completionSuite(shell: string, complete: Complete): void {
  describe(`completion in ${shell}`, () => {
    test("offers every noun, verb and command of the registry", async () => {
      const first = new Set(registry.commands.map(({ name }) => name.split(" ")[0]!));
      expect(await complete([""])).toEqual([...first].sort());
      for (const noun of Object.keys(registry.nouns)) {
        const verbs = registry.commands
          .filter(({ name }) => name.startsWith(`${noun} `))
          .map(({ name }) => name.split(" ")[1]!);
        expect(await complete([noun, ""])).toEqual(verbs.sort());
      }
    });

    test("completes what was typed, and skips flags and their values", async () => {
      expect(await complete(["do"])).toEqual(["doctor"]);
      expect(await complete(["--json", "--data", "config", "conf"])).toEqual(["config"]);
      expect(await complete(["config", "--quiet", "sh"])).toEqual(["show"]);
    });

    test("offers the choices of an argument once", async () => {
      expect(await complete(["completion", ""])).toEqual(["bash", "fish", "zsh"]);
      expect(await complete(["completion", "bash", ""])).not.toContain("bash");
    });

    test("offers flags after a dash, and where no word is left", async () => {
      expect(await complete(["--co"])).toEqual(["--config"]);
      expect(await complete(["doctor", "--ver"])).toEqual(["--verbose", "--version"]);
      expect(await complete(["config", "show", ""])).toContain("--json");
    });

    test("offers what is in the data folder: companies, campaigns", async () => {
      for (const folder of ["companies/acme-floors", "companies/berg", "campaigns/austin"]) {
        mkdirSync(join(sandbox.folder, "folder", folder), { recursive: true });
      }
      writeFileSync(join(sandbox.folder, "folder", "campaigns", "austin", "config.toml"), "");
      await putForagerOnPath();
      const at = ["--data", "folder"];
      expect(await complete(["company", "show", ...at, "ac"])).toEqual(["acme-floors"]);
      expect(await complete(["campaign", "run", ...at, ""])).toEqual(["austin"]);
    });

    test("offers files and folders where a flag takes them", async () => {
      const all = ["folder", "some file.toml"];
      const files = await complete(["doctor", "--config", ""]);
      expect(files).toEqual(expect.arrayContaining(all));
      expect(await complete(["doctor", "--data", ""])).toEqual(["folder"]);
    });
  });
}

/** Its own completion engine runs: it answers "word<tab>summary" lines. */
const completeInFish: Complete = async (words) => {
  writeFileSync(join(sandbox.folder, "forager.fish"), await scriptFor("fish"));
  const line = ["forager", ...words].join(" ");
  const result = await sandbox.run(
    "fish",
    ["--no-config", "-c", `source ./forager.fish; complete -C ${JSON.stringify(line)}`],
    { env: env() },
  );
  return offersOf(result).map((one) => one.split("\t")[0]!.replace(/\/$/, ""));
};

completionSuite("bash", completeInBash);

test("bash splits --data=value in three words, and completes the value", async () => {
  expect(await completeInBash(["doctor", "--data", "="])).toEqual(["folder"]);
  expect(await completeInBash(["doctor", "--data", "=", "fo"])).toEqual(["folder"]);
  expect(await completeInBash(["--data", "=", "x", "do"])).toEqual(["doctor"]);
});

needs(["shells"], () => {
  completionSuite("zsh", completeInZsh);
  completionSuite("fish", completeInFish);

  test("zsh keeps --data=value in one word, and completes the value", async () => {
    expect(await completeInZsh(["doctor", "--data="])).toEqual(["folder"]);
  });
});
