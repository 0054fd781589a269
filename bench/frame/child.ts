/**
 * The process of one side; started by run-sides.ts only. Ours and peers go through this same
 * file, one fresh process per run, so that heap, compiled code and caches are equal at the start.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "../../src/base/app-error.ts";
import type { FromChild, Side, ToChild } from "./side.ts";
import { peakMemoryBytes } from "./peak-memory.ts";

// Whoever started us is gone: nobody reads the result.
process.once("disconnect", () => process.exit(1));

try {
  const prepare = await receive("prepare");
  if (prepare.packagesFolder) preferPackages(prepare.packagesFolder);
  const exported = (await import(prepare.module)) as Record<string, Side<unknown> | undefined>;
  const side = exported[prepare.side];
  if (typeof side !== "function") {
    throw new AppError(
      "invalid",
      "bench_side_unknown",
      `${prepare.module} exports no function "${prepare.side}"`,
    );
  }
  const prepared = await side(prepare.input, prepare.context);
  const go = receive("go"); // listening before the parent can answer
  await send({ kind: "ready" });
  await go;

  const startedMs = performance.now();
  const measured = (await prepared.run()) ?? {};
  const elapsedMs = performance.now() - startedMs;
  await send({ kind: "done" });

  const rssBytesMax = peakMemoryBytes();
  await prepared.check?.();
  await send({ kind: "checked", elapsedMs, measured, rssBytesMax });
  process.exit(0); // without waiting for timers and handles the side left open
} catch (error) {
  await send({ kind: "failed", reason: error instanceof Error ? error.stack! : String(error) });
  process.exit(1);
}

async function receive<Kind extends ToChild["kind"]>(
  kind: Kind,
): Promise<Extract<ToChild, { kind: Kind }>> {
  const [message] = (await once(process, "message")) as [ToChild];
  if (message.kind !== kind) {
    throw new AppError("internal", "bench_protocol", `expected "${kind}", got "${message.kind}"`);
  }
  return message as Extract<ToChild, { kind: Kind }>;
}

function send(message: FromChild): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send!(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

/**
 * Native modules fit one Node only, and ours are built for the one that runs the tests. So on
 * another Node both sides take the packages that were built for it.
 */
function preferPackages(folder: string): void {
  const manifest = join(folder, "package.json");
  const { dependencies } = JSON.parse(readFileSync(manifest, "utf8")) as {
    dependencies: Record<string, string>;
  };
  const parentURL = pathToFileURL(manifest).href;
  const { registerHooks } = nodeModule as unknown as { registerHooks: RegisterHooks };
  registerHooks({
    resolve: (specifier, context, next) =>
      packageOf(specifier) in dependencies
        ? next(specifier, { ...context, parentURL })
        : next(specifier, context),
  });
}

function packageOf(specifier: string): string {
  const parts = specifier.startsWith("@") ? 2 : 1;
  return specifier.split("/").slice(0, parts).join("/");
}

/** Node ≥ 22.15; our types are those of Node 22.14. */
type RegisterHooks = (hooks: { resolve: ResolveHook }) => void;
type ResolveHook = (
  specifier: string,
  context: object,
  next: (specifier: string, context: object) => unknown,
) => unknown;
