/** Runs before each test file and waits until the services that its header names have started. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { waitForServices } from "../../scripts/checks/services-file.ts";
import { parseTestHeader } from "../../scripts/checks/test-header.ts";

const file = expect.getState().testPath!;
const { needs } = parseTestHeader(file, readFileSync(file, "utf8"));
Object.assign(process.env, await waitForServices(needs));
