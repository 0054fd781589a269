import { spawn } from "node:child_process";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";

export interface HookOutcome {
  readonly isOk: boolean;
  /** What to say of it. */
  readonly text: string;
}

const hookMsMax = 120_000;

/**
 * Runs the command of the setting after a site has changed, such as one that empties the cache of a CDN. No
 * shell reads it: it is a program and its arguments, `"…"` keeps spaces together, and `{target}` and `{generation}` are filled in.
 */
export async function runHook(
  command: string,
  { target, generation, clock, signal }: { readonly target: string; readonly generation: number; readonly clock: Clock; readonly signal: AbortSignal }, // prettier-ignore
): Promise<HookOutcome> {
  const filled = commandWords(command).map((word) =>
    word.replaceAll("{target}", target).replaceAll("{generation}", String(generation)),
  );
  const [program, ...args] = filled;
  if (program === undefined) return { isOk: false, text: "publish.afterCommand is empty" };
  return await new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", shell: false, signal });
    const timer = clock.setTimer(hookMsMax, () => child.kill("SIGKILL"));
    const end = (outcome: HookOutcome) => {
      timer.cancel();
      resolve(outcome);
    };
    child.on("error", ({ message }) => end({ isOk: false, text: `${program} could not be started: ${message}` })); // prettier-ignore
    child.on("close", (code, ended) =>
      end(
        code === 0
          ? { isOk: true, text: `${program} was run` }
          : {
              isOk: false,
              text: `${program} ended with ${code ?? ended}: run it by hand to see why`,
            },
      ),
    );
  });
}

/** Throws `publish_command` for quotes that do not end. */
export function commandWords(command: string): readonly string[] {
  const words = [...command.matchAll(/\s*((?:"[^"]*"|[^\s"])+)/g)].map(([, word]) => word!);
  if ((command.split('"').length - 1) % 2 === 1) {
    throw new AppError("invalid", "publish_command", "publish.afterCommand has a quote that does not end"); // prettier-ignore
  }
  return words.map((word) => word.replaceAll('"', ""));
}
