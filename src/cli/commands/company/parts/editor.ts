import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../../../base/app-error.ts";
import { usageError } from "../../../../base/usage-error.ts";

/** Opens a file in the editor of $VISUAL or $EDITOR, and waits until the editor exits. */
export async function openInEditor(file: string): Promise<void> {
  const editor = process.env["VISUAL"] || process.env["EDITOR"];
  if (!editor) {
    throw usageError(`which editor? set EDITOR, or open ${file} with any you like`);
  }
  // The setting can have several words, such as `code --wait`: the shell splits it. The file name
  // stays one argument.
  const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (exitCode === 0) return;
  const how = exitCode === null ? "was ended" : `exited with ${exitCode}`;
  throw new AppError("unavailable", "editor_failed", `the editor '${editor}' ${how}`);
}

/** Lets the user write text in their editor. Lines that begin with `#` are removed. */
export async function editText(asked: {
  readonly what: string;
  /** False if there is no terminal: then no editor can be opened. */
  readonly canAsk: boolean;
}): Promise<string> {
  if (!asked.canAsk)
    throw usageError("there is no text: write it after the name, or - to read it from a pipe");
  const folder = await mkdtemp(join(tmpdir(), "forager-text-"));
  try {
    const file = join(folder, "text.md");
    await writeFile(file, `\n# ${asked.what}; lines that begin with # are ignored\n`);
    await openInEditor(file);
    const text = await readFile(file, "utf8");
    return text
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .join("\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
