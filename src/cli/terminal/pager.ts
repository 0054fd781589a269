import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Shows text one screen at a time. */
export interface Pager {
  /** Resolves when there is room for more. False: the user has closed the pager. */
  write(text: string): Promise<boolean>;
  /** Call after the last write. Resolves when the user has closed the pager. */
  end(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Starts the user's pager on the terminal of this process: `PAGER`, or `less`. Undefined if it is
 * switched off (empty, or `cat`) or not installed.
 */
export function openPager(env: Environment, onClose: () => void = () => {}): Pager | undefined {
  const command = env["PAGER"] ?? "less";
  const [program = ""] = command.trim().split(/\s+/);
  if (program === "" || program === "cat" || !isInstalled(program, env)) return undefined;
  // A setting such as `less -S` is several words: the shell separates them.
  const child = spawn("sh", ["-c", command], {
    stdio: ["pipe", "inherit", "inherit"],
    // Quit if it fits on one screen, keep colors, do not clear the screen at the end.
    env: { ...env, LESS: env["LESS"] ?? "FRX", LV: env["LV"] ?? "-c" },
  });
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    const done = () => {
      isClosed = true;
      onClose();
      resolve();
    };
    child.once("error", done);
    child.once("exit", done);
  });
  // EPIPE: the user has closed the pager; `exit` follows.
  child.stdin.on("error", () => (isClosed = true));
  return {
    async write(text) {
      if (isClosed) return false;
      if (!child.stdin.write(text)) {
        const room = new Promise<void>((resolve) => child.stdin.once("drain", resolve));
        await Promise.race([room, closed]);
      }
      return !isClosed;
    },
    async end() {
      if (!isClosed) child.stdin.end();
      await closed;
    },
  };
}

function isInstalled(program: string, env: Environment): boolean {
  if (program.includes("/")) return existsSync(program);
  const folders = (env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => folder !== "" && existsSync(join(folder, program)));
}

/** Thrown when the user has closed the pager, so that the rest is not computed. */
export class PagerClosed extends Error {
  override readonly name = "PagerClosed";
}

export interface PagedOptions {
  /** The number of lines of the terminal. Text that fits is printed without a pager. */
  readonly rows: number;
  readonly print: (text: string) => Promise<void>;
  /** Undefined: there is no pager. */
  readonly open: () => Pager | undefined;
}

/** Text that is sent to a pager if it is longer than the screen. */
export function createPagedText({ rows, print, open }: PagedOptions) {
  let held = "";
  let lines = 0;
  let pager: Pager | "none" | undefined;
  const send = async (text: string) => {
    if (pager === "none") return print(text);
    if (!(await pager!.write(text))) throw new PagerClosed();
  };
  return {
    /** Throws PagerClosed. */
    async write(text: string): Promise<void> {
      if (pager !== undefined) return send(text);
      held += text;
      for (const char of text) if (char === "\n") lines += 1;
      if (lines < rows) return;
      pager = open() ?? "none";
      const all = held;
      held = "";
      await send(all);
    },
    async end(): Promise<void> {
      if (pager === undefined) await print(held);
      else if (pager !== "none") await pager.end();
    },
  };
}
