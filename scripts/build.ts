/** `npm run build`: compiles src into dist, if anything has changed. `--quiet`: only failures. */
import { buildDist } from "./build-dist.ts";

const { kind, output } = await buildDist();
if (kind === "failed") {
  process.stderr.write(`${output}\nerror: the build failed; the compiler's words are above\n`);
  process.exitCode = 1;
} else if (!process.argv.includes("--quiet")) {
  process.stderr.write(kind === "built" ? "built dist\n" : "dist is up to date\n");
}
