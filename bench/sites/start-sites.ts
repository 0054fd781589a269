import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { SiteShape } from "./site-pages.ts";
import type { SiteLog } from "./site-program.ts";

const programFile = fileURLToPath(new URL("./site-program.ts", import.meta.url));

export interface Sites {
  readonly port: number;
  log(): Promise<SiteLog>;
  stop(): void;
}

/** Ends with this process, whatever happens: it leaves when its channel closes. */
export async function startSites(shape: SiteShape): Promise<Sites> {
  const program = fork(programFile, [JSON.stringify(shape)], {
    execArgv: process.execArgv,
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const [{ port }] = (await once(program, "message")) as [{ readonly port: number }];
  return {
    port,
    async log() {
      program.send("log");
      return ((await once(program, "message")) as [SiteLog])[0];
    },
    stop: () => program.disconnect(),
  };
}

export const hostName = (at: number): string => `www.shop${at}.com`;

/** Two milliseconds for what lies between a request's start and the server's clock. */
export const earlyGaps = ({ gapsMs }: SiteLog, delayMs: number): number =>
  gapsMs.filter((gap) => gap < delayMs - 2).length;
