// needs: s3
// inputs: src/queue/** src/bucket/** src/base/** test/e2e/fleet/** scripts/services/**
// long: fleet
import { needs } from "../support/services.ts";
import { fleetSuite } from "./fleet/fleet-suite.ts";

needs(["s3"], () => fleetSuite({ processes: 4, chaosMs: 60_000, tasks: 120 }));
