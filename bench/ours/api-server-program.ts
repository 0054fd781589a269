/** Serves the data folder that its argument names, and prints where. Ends with its standard input. */
import { openServe } from "../../src/app/serve/open-serve.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { createPaths, loadSettings } from "../../src/config/index.ts";

const [data = ""] = process.argv.slice(2);
const env = {
  FORAGER_DATA: data,
  FORAGER_GOSSIP_ON: "no",
  FORAGER_SERVE_LISTEN: "127.0.0.1:0",
};
const loaded = await loadSettings({ cwd: data, home: data, env });
const serve = await openServe({
  loaded,
  paths: createPaths(loaded.settings.data),
  isOpen: true,
  clock: systemClock,
  log: silentLogger,
  signal: new AbortController().signal,
});
await serve.start();
process.stdout.write(`${serve.origin()}\n`);
process.stdin.resume().once("end", () => {
  void Promise.resolve(serve[Symbol.asyncDispose]()).finally(() => process.exit(0));
});
