import { resolve } from "node:path";
import { parseConcurrency, type WorkOptions } from "../../app/index.ts";
import type { OptionSpec, SettingsContext } from "../frame/command.ts";
import { listFlag, parseCount, textFlag } from "./flags.ts";

/** Options of the commands that start worker processes. */
export const workOptions: readonly OptionSpec[] = [
  {
    flag: "--handlers",
    value: "file",
    summary: "also run the handlers that this file exports",
    complete: "file",
  },
  { flag: "--processes", value: "count", summary: "worker processes per pool" },
  {
    flag: "--concurrency",
    value: "count",
    summary: "concurrent tasks per process: 10, or 5-20 to adapt to the load",
  },
  {
    flag: "--listen",
    value: "address",
    summary: "serve /metrics, /healthz and /readyz, such as on 127.0.0.1:9464",
  },
];

/** The options for worker processes from the command line and the settings. */
export function workOptionsOf(context: SettingsContext): Omit<WorkOptions, "onListening"> {
  const { flags, loaded, reload, settingFlags, isVerbose, cwd, clock, log, out } = context;
  const [handlers, processes] = [textFlag(flags, "handlers"), textFlag(flags, "processes")];
  const concurrency = textFlag(flags, "concurrency");
  return {
    loaded,
    reload,
    choice: {
      kinds: listFlag(flags, "kinds"),
      processes: processes === undefined ? undefined : parseCount("processes", processes),
      concurrency: concurrency === undefined ? undefined : parseConcurrency(concurrency),
    },
    start: {
      settingFlags,
      handlersFile: handlers === undefined ? undefined : resolve(cwd, handlers),
      isDraining: flags["drain"] === true,
      errors: { isJson: out.isJson, isVerbose },
    },
    isStdoutTaken: out.isJson,
    listen: textFlag(flags, "listen"),
    clock,
    log,
  };
}
