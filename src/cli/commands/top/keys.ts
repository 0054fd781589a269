import type { Readable } from "node:stream";
import type { Clock } from "../../../base/clock.ts";

/** A key by its name: a character, or up, down, enter, esc, tab, back-tab, backspace, ctrl-c. */
export type Key = string;

const named: Readonly<Record<string, Key>> = {
  "\u001b[A": "up",
  "\u001bOA": "up",
  "\u001b[B": "down",
  "\u001bOB": "down",
  "\u001b[Z": "back-tab",
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u001b": "esc",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0003": "ctrl-c",
  "\u0004": "ctrl-c",
};

/** Matches one key at the start of the text: a character, or the escape sequence of a key. */
const escape = "\u001b";
const oneKey = new RegExp(`^(?:${escape}\\[[0-9;?<]*[@-~]|${escape}O[A-Z]|[\\s\\S])`, "u");

/** The pressed keys. Unknown escape sequences, such as those around pasted text, are ignored. */
export function keysOf(text: string): readonly Key[] {
  const keys: Key[] = [];
  for (let rest = text; rest !== "";) {
    const found = oneKey.exec(rest)?.[0] ?? rest;
    rest = rest.slice(found.length);
    const key = named[found] ?? (/^[^\p{Cc}]$/u.test(found) ? found : undefined);
    if (key !== undefined) keys.push(key);
  }
  return keys;
}

interface KeyStream extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

export interface Keys extends Disposable {
  /** The next key; undefined if none was pressed within this time, or the command must stop. */
  next(withinMs: number): Promise<Key | undefined>;
}

const keysMax = 1_000;

/** Reads keys as they are pressed. Undefined if stdin is not a terminal. The mouse is not used. */
export function openKeys(
  stdin: KeyStream,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Keys | undefined {
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) return undefined;
  const pressed: Key[] = [];
  let wake = () => {};
  const onData = (chunk: Buffer | string) => {
    pressed.push(...keysOf(chunk.toString()).slice(0, keysMax - pressed.length));
    wake();
  };
  const onEnd = () => {
    pressed.push("ctrl-c");
    wake();
  };
  stdin.setRawMode(true);
  stdin.on("data", onData);
  stdin.once("end", onEnd);
  stdin.resume();
  return {
    async next(withinMs) {
      if (pressed.length === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = clock.setTimer(withinMs, resolve);
          wake = () => {
            timer.cancel();
            resolve();
          };
          signal.addEventListener("abort", wake, { once: true });
        });
        signal.removeEventListener("abort", wake);
        wake = () => {};
      }
      return pressed.shift();
    },
    [Symbol.dispose]() {
      stdin.off("data", onData);
      stdin.off("end", onEnd);
      stdin.setRawMode?.(false);
      stdin.pause();
    },
  };
}
