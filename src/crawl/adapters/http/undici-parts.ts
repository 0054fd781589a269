/**
 * The parts of undici that the crawler uses. They are loaded by file, because the package's index
 * also loads an interceptor that needs zstd of node:zlib, which Node 22.14 does not have.
 */
import { createRequire } from "node:module";
import type { Agent as AgentClass, errors as errorClasses } from "undici";

const require = createRequire(import.meta.url);

export const Agent = require("undici/lib/dispatcher/agent.js") as typeof AgentClass;
export const errors = require("undici/lib/core/errors.js") as typeof errorClasses;
