import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { createPasswords, type Role } from "../../../api/index.ts";
import { createApiClient, type ApiClient } from "../../../api/client/api-client.ts";
import { systemClock, type Clock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { silentLogger, type LogFields } from "../../../base/log/logger.ts";
import { createPaths, loadSettings, type Paths, type Settings } from "../../../config/index.ts";
import { openAccountService, openAccounts } from "../../open-accounts.ts";
import { openServe, type Serve } from "../open-serve.ts";
import { apiTokenFile, readServerAddress } from "../server-files.ts";

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
  /** Replaces the system's clock. */
  readonly clock?: Clock;
  /** Users with the password `testPassword`, added before the start. */
  readonly users?: Readonly<Record<string, Role>>;
  /** Gets what the server logs at its usual level. */
  readonly onLog?: (level: "info" | "warn" | "error", message: string, fields?: LogFields) => void;
  /** Connections without traffic for this long are closed. */
  readonly stillMsMax?: number;
  /** Settings, as environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long the server runs: until the end of the test, or of all tests of the file. */
  readonly owner?: "test" | "file";
}

/** A real server on a free port, with a new data folder, until the test has ended. */
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
  await addUsers(options.users ?? {}, loaded.settings, paths);
  const serve = await openServe({
    loaded,
    paths,
    isOpen: options.isOpen ?? false,
    passwordCost: cheapCost,
    stillMsMax: options.stillMsMax,
    clock: options.clock ?? systemClock,
    log: {
      ...silentLogger,
      info: (...line) => options.onLog?.("info", ...line),
      warn: (...line) => options.onLog?.("warn", ...line),
      error: (...line) => options.onLog?.("error", ...line),
    },
    signal: new AbortController().signal,
  });
  ends(() => serve[Symbol.asyncDispose]());
  await serve.start();
  const token = readFileSync(apiTokenFile(paths), "utf8").trim();
  const origin = serve.origin();
  const local = (await readServerAddress(paths))!.origin;
  const client = createApiClient({ fetch: (url, init) => fetch(url, init), origin: local, token });
  return { serve, origin, token, paths, settings: loaded.settings, client };
}

/** A low cost, because tests sign in often. */
export const cheapCost = { N: 2 ** 4, r: 8, p: 1 };
export const testPassword = "correct horse battery";

async function addUsers(users: Readonly<Record<string, Role>>, settings: Settings, paths: Paths) {
  if (Object.keys(users).length === 0) return;
  const place = { settings, paths, clock: systemClock, signal: new AbortController().signal };
  await using service = await openAccountService(place);
  await using accounts = await openAccounts(place);
  const passwords = createPasswords({ cost: cheapCost, clock: systemClock, random: systemRandom });
  const password = await passwords.hash(testPassword);
  for (const [name, role] of Object.entries(users)) await service.addUser(name, role);
  await accounts.store.change((now) => ({
    ...now,
    users: now.users.map((user) => ({ ...user, password })),
  }));
}

/** Signs in like a browser. */
export async function signIn(origin: string, user: string, password = testPassword) {
  const answer = await fetch(`${origin}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin, "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ user, password }),
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { status: answer.status, cookie, headers: answer.headers, body: await answer.json() as { code?: string; detail?: string } }; // prettier-ignore
}

/** Sends requests with a session cookie, like a page of the dashboard. */
export function sendAs(origin: string, cookie: string) {
  return async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: {
        cookie,
        origin,
        "sec-fetch-site": "same-origin",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const cookieNow = answer.headers.get("set-cookie")?.split(";")[0];
    return { status: answer.status, cookie: cookieNow, headers: answer.headers, body: (await answer.json()) as Record<string, never> }; // prettier-ignore
  };
}
