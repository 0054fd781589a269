import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { root } from "../project.ts";

export interface NodeRun {
  readonly code: number;
  /** What it printed, if it was not shown. */
  readonly output: string;
}

export interface NodeRunOptions {
  /** Shows the output as it comes instead of collecting it. */
  readonly isShown?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export interface NodeRunner {
  run(args: readonly string[], options?: NodeRunOptions): Promise<NodeRun>;
  /** Ends what runs and starts nothing more. */
  stop(): void;
}

/** Under CI some tools colour what no terminal shows. */
const colours = process.stdout.isTTY ? {} : { NO_COLOR: "1", FORCE_COLOR: undefined };

/** Runs Node programs in the folder of the project. */
export function createNodeRunner(): NodeRunner {
  const children = new Set<ChildProcess>();
  let isStopped = false;
  return {
    run(args, { isShown = false, env = {} } = {}) {
      if (isStopped) return Promise.resolve({ code: 1, output: "stopped" });
      return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, args, {
          cwd: root,
          stdio: isShown ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
          env: { ...process.env, ...colours, ...env },
        });
        children.add(child);
        let output = "";
        for (const stream of [child.stdout, child.stderr])
          stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
        child.once("error", reject);
        child.once("close", (code) => {
          children.delete(child);
          resolve({ code: code ?? 1, output });
        });
      });
    },
    stop() {
      isStopped = true;
      for (const child of children) child.kill("SIGTERM");
    },
  };
}
