import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Loads a package with large data files when it is first used, so that commands that do not need it
 * start faster. The package stays outside the program's bundle.
 */
export const loadPackage = (name: string): unknown => require(name);
