/** Answers about running campaigns, duplicates and bulk actions. */
import { readRunbookPage } from "../../../src/notify/index.ts";
import { sampleReport } from "./fixture-data.ts";

const { tasks } = sampleReport;

const sampleJob = {
  name: "austin-flooring",
  isPaused: false,
  isSealed: false,
  ended: null,
  concurrency: null,
  budget: null,
  gate: "",
  slots: 0,
  added: 10_452,
  overBudget: 0,
  ...tasks,
  completions: 0,
  openedAtMs: 0,
  endedAtMs: 0,
  served: 0,
  requests: 0,
};

const samplePlan = {
  campaign: "austin-flooring",
  locations: [
    { name: "Austin, TX", proximityKm: 40, tiles: 420 },
    { name: "Round Rock, TX", proximityKm: 20, tiles: 120 },
  ],
  tiles: 540,
  targets: 1_080,
  leftOut: 96,
  isWritten: false,
  phrases: [],
  sources: [{ name: "texas.osm.pbf", release: "2026-11-02", places: 48_210, outside: 41_700, bad: 3, closed: 210, duplicates: 12 }], // prettier-ignore
  requests: null,
  unread: [],
  isComplete: true,
  advice: null,
};

const sampleDue = { campaign: "austin-flooring", targets: 1_080, leftOut: 96, due: 290, chosen: 145, added: 0, duplicate: 0, refused: 0, job: null, advice: null }; // prettier-ignore

const match = (tag: string) => ({ source: "osm", tag, score: 1, state: "used", because: "its name" }); // prettier-ignore
const samplePhrases = {
  rows: [
    { phrase: "flooring contractor", matches: [match("craft=floorer"), match("shop=flooring")] },
    { phrase: "carpet store", matches: [match("shop=carpet")] },
  ],
};

const member = (slug: string, name: string) => ({ target: `company/${slug}`, slug, name });
const samplePairs = {
  rows: [
    {
      verdict: "same",
      into: member("capital-hardwood-floors", "Capital Hardwood Floors"),
      from: member("capital-hardwood", "Capital Hardwood"),
      evidence: { name: 0.91, distanceM: 42, phone: "+15125550100", domain: "capital-hardwood-floors.example", sameAddress: true }, // prettier-ignore
    },
    {
      verdict: "review",
      into: member("lone-star-tile-stone", "Lone Star Tile & Stone"),
      from: member("lone-star-tile", "Lone Star Tile"),
      evidence: { name: 0.74, distanceM: 10_549, phone: "+15125550101", sameAddress: false },
    },
  ],
};

const sampleSelection = {
  id: "s1",
  count: 38,
  isComplete: true,
  samples: ["4711 discover 30.2_-97.8", "4712 discover 30.3_-97.8"],
  atMs: 0,
  expiresAtMs: 0,
  actions: [],
};

/** By path. */
export const workAnswers: Readonly<Record<string, unknown>> = {
  "/api/campaigns/austin-flooring/job": { job: sampleJob },
  "/api/campaigns/munich-bakers/job": { job: null },
  "/api/records/audit": { campaigns: 2, companies: 250, findings: [], isComplete: true },
  "/api/campaigns/austin-flooring/plan": samplePlan,
  "/api/campaigns/austin-flooring/dispatch": sampleDue,
  "/api/phrases": samplePhrases,
  "/api/runbook/failed_tasks": readRunbookPage("failed_tasks"),
  "/api/records/duplicates": samplePairs,
  "/api/selections/tasks": sampleSelection,
  "/api/selections/companies": { ...sampleSelection, samples: ["Capital Hardwood Floors"] },
};
