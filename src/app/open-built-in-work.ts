import type { BuiltInWork, BuiltInWorkOptions } from "./built-in-work.ts";

/** Loaded by who works: what reads websites knows the phone numbers of all countries, for one. */
export async function openBuiltInWork(options: BuiltInWorkOptions): Promise<BuiltInWork> {
  const { createBuiltInWork } = await import("./built-in-work.ts");
  return createBuiltInWork(options);
}
