#!/usr/bin/env node
import { registry } from "./registry.ts";
import { runProcess } from "./run-process.ts";

await runProcess(registry);
