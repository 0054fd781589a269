import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { createApiClient, type ApiClient } from "../../../api/client/api-client.ts";
import { systemClock } from "../../../base/clock.ts";
import { silentLogger } from "../../../base/logger.ts";
import { createPaths, loadSettings, type Paths, type Settings } from "../../../config/index.ts";
import { openServe, type Serve } from "../open-serve.ts";
import { apiTokenFile } from "../server-files.ts";

export interface TestServe {
  readonly serve: Serve;
  readonly origin: string;
  readonly token: string;
  readonly paths: Paths;
  readonly settings: Settings;
  readonly client: ApiClient;
}

export interface TestServeOptions {
  readonly isOpen?: boolean;
  /** Settings, as environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Until when it runs: the end of the test, or of all tests of the file. */
  readonly owner?: "test" | "file";
}

/** A real server on a free port, with a data folder of its own, until the test has ended. */
export async function openTestServe(options: TestServeOptions = {}): Promise<TestServe> {
  const ends = options.owner === "file" ? afterAll : onTestFinished;
  const folder = mkdtempSync(join(tmpdir(), "forager-serve-"));
  ends(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    FORAGER_DATA: join(folder, "data"),
    FORAGER_GOSSIP_ON: "no",
    FORAGER_SERVE_LISTEN: "127.0.0.1:0",
    ...options.env,
  };
  const loaded = await loadSettings({ cwd: folder, home: folder, env });
  const paths = createPaths(loaded.settings.data);
  const serve = await openServe({
    loaded,
    paths,
    isOpen: options.isOpen ?? false,
    clock: systemClock,
    log: silentLogger,
    signal: new AbortController().signal,
  });
  ends(() => serve[Symbol.asyncDispose]());
  await serve.start();
  const token = readFileSync(apiTokenFile(paths), "utf8").trim();
  const origin = serve.origin();
  const client = createApiClient({ fetch: (url, init) => fetch(url, init), origin, token });
  return { serve, origin, token, paths, settings: loaded.settings, client };
}
