/**
 * If an old version of Node imports this file first, the process ends with one clear sentence.
 * Without it, later imports would crash: the binary of SQLite needs a newer Node-API and ends the
 * process without a message.
 *
 * This file must have no imports and no syntax that an old Node does not know. All modules that an
 * entry of the library imports must link on an old Node too, because linking comes before any code
 * runs: use a new function of a Node module through the default export (`zlib.crc32`), not by a
 * named import.
 */
/** The oldest Node that Forager runs on. `engines` in package.json says the same. */
export const nodeFloor = "22.14";

/** The reason why Forager does not run on a version of Node; undefined if it runs. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [floorMajor = 0, floorMinor = 0] = nodeFloor.split(".").map(Number);
  if (major > floorMajor || (major === floorMajor && minor >= floorMinor)) return undefined;
  return (
    `Forager needs Node ${nodeFloor} or newer, and this is Node ${version}: ` +
    "install a newer one (https://nodejs.org), or use bin/forager in a checkout, which brings its own"
  );
}

const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  const error = new Error(problem);
  // A program that imports the library may catch the error. If it does not, this sentence is all
  // that its user needs; Node would also print lines of its own code.
  if (process.listenerCount("uncaughtException") === 0)
    process.once("uncaughtException", (thrown) => {
      const text = thrown instanceof Error ? thrown.stack : String(thrown);
      process.stderr.write(thrown === error ? `error: ${problem}\n` : `${text}\n`);
      process.exit(1);
    });
  throw error;
}
