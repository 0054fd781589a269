import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts a program of ours in a thread. `program` is named without its ending. */
export function startThread(program: URL, options: WorkerOptions = {}): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL(`${program.href}.js`), options);
  // In development it is source, and a thread does not inherit what reads TypeScript.
  const source = JSON.stringify(`${program.href}.ts`);
  const begin = `import("tsx/esm/api").then((tsx) => { tsx.register(); return import(${source}); });`;
  return new Worker(begin, { ...options, eval: true });
}
