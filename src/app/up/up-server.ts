import type { ApiServices } from "../../api/index.ts";
import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Service } from "../../base/service.ts";
import type { LoadedSettings, Paths } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import type { HealthSource } from "../../observe/index.ts";
import { readServerAddress } from "../serve/server-files.ts";
import {
  busyDashboardPart,
  dashboardPart,
  noDashboardPart,
  otherDashboardPart,
  type UpPart,
} from "./parts.ts";

export interface UpServerOptions {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
  readonly node: NodeApi;
  readonly health: HealthSource;
  readonly history: ApiServices["history"];
  readonly clock: Clock;
  readonly log: Logger;
  readonly show: (part: UpPart) => void;
}

interface Opened extends Service, AsyncDisposable {
  origin(): string;
  firstLink(): string;
}

/**
 * A port in use may become free, for example when the process that served this folder before has
 * exited.
 */
const retryMs = 10_000;

/**
 * API and dashboard as a part of `forager up`. A node works without them: if they cannot start, the
 * reason is reported and the start is retried. A `serve.listen` that can never work rejects the
 * start.
 */
export function createUpServer(options: UpServerOptions): Service {
  const { loaded, paths, clock, log, show } = options;
  const { listen } = loaded.settings.serve;
  const over = new AbortController();
  let server: Opened | undefined;
  let timer: Timer | undefined;
  let trying: Promise<void> = Promise.resolve();

  const open = async (): Promise<void> => {
    // Imported here, so that a node without a server does not load it.
    const { openApiServer } = await import("../serve/open-serve.ts");
    const { signal } = over;
    const opened = await openApiServer({ ...options, isOpen: false, signal });
    try {
      await opened.start();
      server = opened;
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw error;
    }
    show(dashboardPart(opened.origin(), opened.firstLink()));
  };

  const attempt = async (): Promise<void> => {
    try {
      await open();
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "usage") throw error;
      if (over.signal.aborted) return;
      const other = await readServerAddress(paths);
      const isOther = other !== undefined && other.pid !== process.pid;
      show(
        isOther ? otherDashboardPart(other.origin, other.pid) : busyDashboardPart(error.message),
      );
      timer = clock.setTimer(retryMs, () => retry(), { background: true });
    }
  };

  const retry = () => {
    trying = attempt().catch((error: unknown) =>
      log.error("API and dashboard could not start", { error }),
    );
  };

  return {
    async start() {
      if (listen === "off") return show(noDashboardPart);
      trying = attempt();
      await trying;
    },
    async stop() {
      over.abort();
      timer?.cancel();
      await trying.catch(() => {}); // start() has reported it
      await server?.[Symbol.asyncDispose]();
      server = undefined;
    },
  };
}
