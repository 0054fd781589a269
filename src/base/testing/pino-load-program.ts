// Imports the file in its first argument and prints whether that loaded pino.
import { createRequire } from "node:module";

await import(process.argv[2] ?? "");
const loaded = Object.keys(createRequire(import.meta.url).cache);
process.stdout.write(loaded.some((path) => path.includes("/node_modules/pino/")) ? "yes" : "no");
