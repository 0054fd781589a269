import type { Check } from "./check.ts";

/** The same floor as `engines` in package.json. */
export const nodeFloor = "20.19";

export function createNodeCheck(version = process.versions.node): Check {
  return {
    name: "node",
    async run() {
      if (isAtLeast(version, nodeFloor)) return { state: "ok", detail: `version ${version}` };
      return {
        state: "fail",
        detail: `version ${version} is too old`,
        advice: `install Node ${nodeFloor} or newer (https://nodejs.org)`,
      };
    },
  };
}

function isAtLeast(version: string, floor: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [floorMajor = 0, floorMinor = 0] = floor.split(".").map(Number);
  return major > floorMajor || (major === floorMajor && minor >= floorMinor);
}
