import type { Browser } from "playwright-core";
import { AppError } from "../../../base/app-error.ts";
import { findChromium } from "./find-chromium.ts";

export interface BrowserKeeperOptions {
  /** The program; default: the first that is found. */
  readonly executable?: string | undefined;
  /** Where programs are looked for, in the form of PATH. */
  readonly path?: string;
  /** Whether Chromium's own sandbox is used. It cannot be by root, and in some containers. */
  readonly isSandboxed?: boolean;
  /** Pages after which the browser is replaced, default 500: its own caches grow too. */
  readonly pagesPerBrowser?: number;
}

/** Keeps one browser running: started when it is needed, replaced when it crashed or grew old. */
export interface BrowserKeeper {
  /** For one page more. */
  browser(): Promise<Browser>;
  close(): Promise<void>;
}

export function createBrowserKeeper(options: BrowserKeeperOptions): BrowserKeeper {
  const { pagesPerBrowser = 500 } = options;
  let running: Promise<Browser> | undefined;
  let pages = 0;
  let isClosed = false;

  return {
    async browser() {
      const current = running;
      const isAlive = (await current?.catch(() => undefined))?.isConnected() ?? false;
      if (isClosed) throw new AppError("internal", "browser_closed", "bug: used after its end");
      // Another may have replaced it meanwhile.
      if (running === current && (!isAlive || pages >= pagesPerBrowser)) {
        // Whoever has a page open in the old one loses it, and tries again in the new one.
        void current?.then((old) => old.close()).catch(() => {});
        running = launch(options);
        pages = 0;
      }
      pages += 1;
      return running!;
    },
    async close() {
      isClosed = true;
      await (await running?.catch(() => undefined))?.close();
    },
  };
}

async function launch(options: BrowserKeeperOptions): Promise<Browser> {
  const { executable, path, isSandboxed } = options;
  const { chromium } = await loadDriver();
  const executablePath = findChromium(executable, path === undefined ? {} : { path });
  try {
    return await chromium.launch({
      executablePath,
      // Signals are the worker's: it finishes its pages first, and then closes us.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      chromiumSandbox: isSandboxed ?? process.getuid?.() !== 0,
      args: [
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--proxy-server=http://127.0.0.1:9",
        "--proxy-bypass-list=<-loopback>",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-dev-shm-usage",
        "--disable-gpu",
      ],
    });
  } catch (cause) {
    const message = `${executablePath} did not start: ${(cause as Error).message.split("\n")[0]}`;
    throw new AppError("unavailable", "browser_failed", message, { cause });
  }
}

async function loadDriver(): Promise<typeof import("playwright-core")> {
  try {
    return await import("playwright-core");
  } catch (cause) {
    throw new AppError(
      "invalid",
      "browser_driver_missing",
      "pages that need scripts are rendered through playwright-core, which is not installed: npm install playwright-core",
      { cause },
    );
  }
}
