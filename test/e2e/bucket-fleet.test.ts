// needs: s3
// inputs: src/queue/** src/bucket/** src/base/** test/e2e/fleet/** scripts/services/**
import { needs } from "../support/services.ts";
import { fleetSuite } from "./fleet/fleet-suite.ts";

// The server of all tests shows that one can be had; the fleet restarts one of its own.
needs(["s3"], () => fleetSuite({ processes: 4, chaosMs: 15_000, tasks: 40 }));
