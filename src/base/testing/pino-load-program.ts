// Imports the file it is given and says whether pino was loaded with it.
import { createRequire } from "node:module";

await import(process.argv[2] ?? "");
const loaded = Object.keys(createRequire(import.meta.url).cache);
process.stdout.write(loaded.some((path) => path.includes("/node_modules/pino/")) ? "yes" : "no");
