import { homedir, tmpdir } from "node:os";
import type { Browser } from "playwright-core";
import { AppError } from "../../../base/app-error.ts";
import { findChromium } from "./find-chromium.ts";

export interface BrowserKeeperOptions {
  /** The program; default: the first that is found. */
  readonly executable?: string | undefined;
  /** Folders to search for programs, in the form of PATH. */
  readonly path?: string;
  /** Whether Chromium's own sandbox is used. It does not work for root, and in some containers. */
  readonly isSandboxed?: boolean;
  /** After this many pages the browser is replaced, default 500, because its caches grow. */
  readonly pagesPerBrowser?: number;
}

/**
 * Keeps one browser running: started when needed, replaced when it crashed or has rendered many
 * pages.
 */
export interface BrowserKeeper {
  /** The browser for one more page. */
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
      // Another call may have replaced it meanwhile.
      if (running === current && (!isAlive || pages >= pagesPerBrowser)) {
        // Pages that are still open in the old browser fail, and are tried again in the new one.
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
      // The worker handles signals: it finishes its pages first, and then closes the browser.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      env: browserEnvironment(path),
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

/**
 * The browser runs the scripts of strangers, so it does not get the environment of the worker,
 * which may hold passwords and keys.
 */
const browserEnvironment = (path = "") => ({
  PATH: [path, "/usr/local/bin:/usr/bin:/bin"].filter(Boolean).join(":"),
  HOME: homedir(),
  TMPDIR: tmpdir(),
  LANG: "C.UTF-8",
});

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
