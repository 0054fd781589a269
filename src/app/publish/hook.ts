import { spawn } from "node:child_process";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";

export interface HookOutcome {
  readonly isOk: boolean;
  /** The text for the user. */
  readonly text: string;
}

const hookMsMax = 120_000;

/**
 * Runs the configured command after a site has changed, for example to purge the cache of a CDN. No
 * shell is involved: it is a program with arguments, `"…"` groups words, and `{target}` and
 * `{generation}` are replaced.
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

/** Throws `publish_command` if a quote is not closed. */
export function commandWords(command: string): readonly string[] {
  const words = [...command.matchAll(/\s*((?:"[^"]*"|[^\s"])+)/g)].map(([, word]) => word!);
  if ((command.split('"').length - 1) % 2 === 1) {
    throw new AppError("invalid", "publish_command", "publish.afterCommand has a quote that is not closed"); // prettier-ignore
  }
  return words.map((word) => word.replaceAll('"', ""));
}
