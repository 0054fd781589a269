/**
 * `npm run services`: the servers tests run against, for development. Prints where they are and
 * stays until Ctrl-C. With names, only those; `chromium` is found or installed, not started.
 */
import { AppError } from "../src/base/app-error.ts";
import { findChromium } from "./services/chromium.ts";
import { foragerAddresses } from "./services/forager-addresses.ts";
import { isServiceName, serviceNames } from "./services/service.ts";
import { createServiceStarter } from "./services/start-services.ts";
import { onStopSignal } from "./stop-signals.ts";

const print = (line: string) => void process.stderr.write(`${line}\n`);

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  print(`error: ${error.message}`);
  process.exitCode = 1;
}

async function main(args: readonly string[]): Promise<void> {
  const unknown = args.filter((name) => !isServiceName(name) && name !== "chromium");
  if (unknown.length > 0)
    throw new AppError(
      "invalid",
      "unknown_service",
      `there is no service "${unknown.join(" ")}"; there are ${serviceNames.join(", ")}, chromium`,
    );
  if (args.includes("chromium")) {
    const { path, version } = await findChromium(print);
    process.stdout.write(`${version}\nexport FORAGER_TEST_CHROMIUM='${path}'\n`);
  }
  const names = args.length === 0 ? serviceNames : args.filter(isServiceName);
  if (names.length > 0) await serve(names);
}

async function serve(names: readonly (typeof serviceNames)[number][]): Promise<void> {
  const starter = createServiceStarter(print);
  const stopAsked = new Promise<number>((resolve) => onStopSignal(resolve));
  setInterval(() => {}, 60_000); // stay also when the last server has ended by itself
  print(`starting ${names.join(" and ")} (a few seconds)`);
  const started = starter.start(names);
  const first = await Promise.race([started, stopAsked]);
  if (typeof first === "object") {
    const { env, pids, missing, failed } = first;
    for (const { name, text } of [...missing, ...failed]) print(`${name}: ${text}`);
    process.exitCode = missing.length + failed.length > 0 ? 1 : 0;
    const exports = Object.entries(env).filter(([key]) => !key.startsWith("FORAGER_TEST_MISSING_"));
    for (const [key, value] of exports) process.stdout.write(`export ${key}='${value}'\n`);
    if (exports.length > 0) {
      for (const line of foragerAddresses(env)) print(line);
      print(`ready (processes ${pids.join(", ")}); Ctrl-C stops them`);
      await stopAsked;
    }
  }
  print("stopping");
  await starter.stop();
  process.exit();
}
