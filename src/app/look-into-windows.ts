import { createHmac, timingSafeEqual } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createId } from "../base/ids.ts";
import { systemRandom } from "../base/random.ts";
import type { Paths } from "../config/index.ts";

/** Of a process that can be looked at, see `node-window.ts`. */
export interface WindowFile {
  readonly port: number;
  readonly token: string;
  readonly pid: number;
}

export interface WindowAnswer {
  readonly isWell: boolean;
  readonly text: string;
}

/**
 * Both sides prove that they can read the file; the token itself is never sent. The port of a file
 * that a killed process left may belong to a stranger by now, whose answer must not be believed.
 */
export const proofOf = (token: string, side: "asks" | "answers", nonce: string): string =>
  createHmac("sha256", token).update(`forager window 2 ${side} ${nonce}`).digest("hex");

export function isSameText(given: string | null | undefined, wanted: string): boolean {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(wanted)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

export const nonceHeader = "x-forager-nonce";
export const proofHeader = "x-forager-proof";

interface LookOptions {
  readonly method: "GET" | "HEAD" | "POST";
  /** The file of one's own. */
  readonly except?: string;
  readonly timeoutMs?: number;
}

/** A machine has a few processes of a node. */
const windowsMax = 64;

/** What the processes of a node show, in no order; none: none runs here, or none answers. */
export async function lookIntoWindows(paths: Pick<Paths, "resolve">): Promise<readonly string[]> {
  const answers = await lookOut(paths, { method: "GET" });
  return answers.filter(({ isWell }) => isWell).map(({ text }) => text);
}

/** The answers of all that answer. */
export async function lookOut(
  paths: Pick<Paths, "resolve">,
  { method, except, timeoutMs = 2_000 }: LookOptions,
): Promise<readonly WindowAnswer[]> {
  const folder = paths.resolve("fleet", "windows");
  const names = await readdir(folder).catch(() => []); // no process has ever run here
  const others = names.filter((name) => name.endsWith(".json") && name !== except);
  const answers = await Promise.all(
    others.slice(0, windowsMax).map(async (name): Promise<WindowAnswer | undefined> => {
      const found = await readWindowFile(join(folder, name));
      if (!found) return undefined;
      try {
        const nonce = createId(systemRandom, 26);
        const answer = await fetch(`http://127.0.0.1:${found.port}/`, {
          method,
          headers: { [nonceHeader]: nonce, [proofHeader]: proofOf(found.token, "asks", nonce) },
          redirect: "error",
          signal: AbortSignal.timeout(timeoutMs),
        });
        const isOurs = isSameText(
          answer.headers.get(proofHeader),
          proofOf(found.token, "answers", nonce),
        );
        if (!isOurs) {
          await answer.body?.cancel();
          return undefined;
        }
        return { isWell: answer.status === 200, text: await answer.text() };
      } catch {
        return undefined; // the process that wrote the file is gone
      }
    }),
  );
  return answers.filter((answer) => answer !== undefined);
}

async function readWindowFile(file: string): Promise<WindowFile | undefined> {
  try {
    const found = JSON.parse(await readFile(file, "utf8")) as WindowFile;
    return Number.isInteger(found.port) && typeof found.token === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}
