/**
 * Importing this file first makes an old Node end with one sentence. Later imports would crash
 * there: SQLite's binary needs a newer Node-API and takes the process down without a message.
 *
 * Keep this file free of imports and of syntax that an old Node does not know.
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
  // Node prints the stack of an error that nobody catches; the sentence is all a user needs.
  error.stack = problem;
  throw error;
}
