/**
 * Importing this file first makes an old Node end with one sentence. Later imports would crash
 * there: SQLite's binary needs a newer Node-API and takes the process down without a message.
 *
 * Keep this file free of imports and of syntax that an old Node does not know. What an entry of
 * the library imports must link on an old Node too, since nothing runs before that: take a new
 * function of a Node module from its default export (`zlib.crc32`), not by name.
 */
/** The oldest Node that Forager runs on. `engines` in package.json says the same. */
export const nodeFloor = "22.14";

/** Why Forager does not run on a version of Node, or undefined if it does. */
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
  // A program that imports the library may catch the error or handle it as it does others. If it
  // does neither, the sentence is all its user needs: Node would print some lines of its own code.
  if (process.listenerCount("uncaughtException") === 0)
    process.once("uncaughtException", (thrown) => {
      const text = thrown instanceof Error ? thrown.stack : String(thrown);
      process.stderr.write(thrown === error ? `error: ${problem}\n` : `${text}\n`);
      process.exit(1);
    });
  throw error;
}
