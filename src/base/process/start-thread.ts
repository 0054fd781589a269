import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts a module of Forager in a worker thread. `program`: its URL without the file extension. */
export function startThread(program: URL, options: WorkerOptions = {}): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL(`${program.href}.js`), options);
  // In development the module is TypeScript, and a thread does not inherit the TypeScript loader.
  const source = JSON.stringify(`${program.href}.ts`);
  const begin = `import("tsx/esm/api").then((tsx) => { tsx.register(); return import(${source}); });`;
  return new Worker(begin, { ...options, eval: true });
}
