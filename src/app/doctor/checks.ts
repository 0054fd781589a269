import type { Check } from "./check.ts";
import { checkClock } from "./clock-check.ts";
import { checkDataFolder } from "./data-folder-check.ts";
import { createDiskCheck } from "./disk-check.ts";
import { checkGossipKey } from "./gossip-key-check.ts";
import { checkLedger } from "./ledger-check.ts";
import { createNodeCheck } from "./node-check.ts";
import { checkSecrets } from "./secrets-check.ts";
import { createSqliteCheck } from "./sqlite-check.ts";
import { checkTempFolder } from "./temp-folder-check.ts";

/** The checks of `forager doctor`, in this order. Each backend adds a file and a line here. */
export const checks: readonly Check[] = [
  createNodeCheck(),
  createSqliteCheck(),
  checkDataFolder,
  createDiskCheck(),
  checkTempFolder,
  checkClock,
  checkSecrets,
  checkGossipKey,
  checkLedger,
];
