import { join } from "node:path";
import { expect } from "vitest";
import { createSandbox, type RunOptions, type RunResult, type Sandbox } from "./built-cli.ts";

/** A sandbox whose commands all work on one data folder. */
export interface RecordsSandbox extends Sandbox {
  onData(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** What it printed; it must have gone well. */
  good(...args: readonly string[]): Promise<string>;
  json<T>(...args: readonly string[]): Promise<T>;
  /** A path in the data folder. */
  inData(path: string): string;
}

export async function createRecordsSandbox(): Promise<RecordsSandbox> {
  const sandbox = await createSandbox({ hasSharedProcess: true });
  const onData: RecordsSandbox["onData"] = (args, options) =>
    sandbox.forager([...args, "--data", "data"], options);
  const good: RecordsSandbox["good"] = async (...args) => {
    const result = await onData(args);
    expect(result.exitCode, result.stderr).toBe(0);
    return result.stdout;
  };
  return {
    ...sandbox,
    onData,
    good,
    json: async <T>(...args: readonly string[]) => JSON.parse(await good(...args, "--json")) as T,
    inData: (path) => join(sandbox.folder, "data", path),
  };
}
