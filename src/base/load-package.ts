import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Loads a package that is large because of its data, at its first use: commands that do not need it
 * start without it. It stays outside the program's bundle.
 */
export const loadPackage = (name: string): unknown => require(name);
