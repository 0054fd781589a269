// needs: loopdisks
// inputs: src/** test/power-cut/**
// long: power
import { needs } from "../support/services.ts";
import { powerCutSuite } from "./power-cut-suite.ts";

needs(["loopdisks"], ({ loopdisks: { mkfs } }) => powerCutSuite({ mkfs, moments: 50 }));
