import { watch, writeFileSync, type FSWatcher } from "node:fs";
import { join } from "node:path";
import type { Clock, Timer } from "../base/clock.ts";
import { makeFolder } from "../base/make-folder.ts";
import type { Paths } from "../config/index.ts";

/**
 * How the processes of a data folder tell each other that a queue elsewhere has something new: by
 * two files whose change is all they say. `added`: a process of this machine has put work into the
 * fleet's queue. `woken`: another machine says that it has. Hints only make it quicker: one that is
 * lost costs the time until somebody looks by itself. So nothing here ever throws.
 */
export interface WakeHints {
  tell(hint: WakeHint): void;
  /** What this very object tells is not heard by it. Answers how to stop. */
  follow(hint: WakeHint, listener: () => void): () => void;
}

export type WakeHint = "added" | "woken";

export interface WakeHintsOptions {
  readonly paths: Pick<Paths, "resolve">;
  readonly clock: Clock;
}

/** At once, and then not again for so long: who looks, sees all that came until then. */
const pauseMs = 1_000;
/** What happens that soon after one's own hint is most likely that hint. */
const echoMs = 50;

export function createWakeHints({ paths, clock }: WakeHintsOptions): WakeHints {
  const folder = () => paths.resolve("node", "hints");
  const paces = new Map<WakeHint, () => void>();
  const toldAtMs = new Map<WakeHint, number>();
  const isOwn = (hint: WakeHint) =>
    clock.monotonicMs() - (toldAtMs.get(hint) ?? -Infinity) < echoMs;
  const write = (hint: WakeHint) => {
    toldAtMs.set(hint, clock.monotonicMs());
    try {
      makeFolder(folder(), { mode: 0o700 });
      writeFileSync(join(folder(), hint), `${clock.nowMs()}\n`, { mode: 0o600 });
    } catch {
      // a full disk delays work, and whoever needs the disk says so
    }
  };
  return {
    tell(hint) {
      const pace = paces.get(hint) ?? paced(clock, () => write(hint));
      paces.set(hint, pace);
      pace();
    },
    follow(hint, listener) {
      let watcher: FSWatcher | undefined;
      const heard = paced(clock, listener);
      try {
        makeFolder(folder(), { mode: 0o700 });
        watcher = watch(folder(), { persistent: false }, (_, file) => {
          if (file === hint && !isOwn(hint)) heard();
        });
        watcher.on("error", () => {});
      } catch {
        // more than the system watches, or it watches nothing: then there are no hints
      }
      return () => watcher?.close();
    },
  };
}

/** The first call counts at once, all others within a pause together at its end. */
export function paced(clock: Clock, act: () => void): () => void {
  let timer: Timer | undefined;
  let isAsked = false;
  const rest = () => {
    timer = clock.setTimer(pauseMs, end, { background: true });
  };
  const end = () => {
    timer = undefined;
    if (!isAsked) return;
    isAsked = false;
    act();
    rest();
  };
  return () => {
    if (timer) return void (isAsked = true);
    act();
    rest();
  };
}
