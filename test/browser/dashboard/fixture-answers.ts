import { sampleCampaigns, sampleCampaignStatus, sampleCompany, sampleCoverage, sampleReport, sampleSession, sampleStatus, sampleThroughput, shownCompany } from "./fixture-data.ts"; // prettier-ignore
import { fleetAnswers } from "./fixture-fleet.ts";
import { settingsAnswers } from "./fixture-settings.ts";
import { workAnswers } from "./fixture-work.ts";
import { queueAnswer } from "./fixture-queue.ts";
import type { Answers } from "./fixture-server.ts";

type Sample = ReturnType<typeof sampleCompany>;

/** A folder with companies and a campaign. */
export function fullAnswers({
  companies = Array.from({ length: 250 }, (_, index) => sampleCompany(index)),
  tiles = 540,
}: { readonly companies?: readonly Sample[]; readonly tiles?: number } = {}): Answers {
  const coverage = sampleCoverage(tiles);
  return ({ method, path, query }) => {
    const name = decodeURIComponent(path.split("/")[3] ?? "");
    const words = (query.get("words") ?? "").toLowerCase();
    const found = companies.filter((one) => JSON.stringify([one.name, one.texts.city]).toLowerCase().includes(words)); // prettier-ignore
    const answers: Readonly<Record<string, () => unknown>> = {
      "/api/session": () => sampleSession,
      "/api/status": () => sampleStatus,
      "/api/queue/throughput": sampleThroughput,
      "/api/campaigns": () => sampleCampaigns,
      "/api/sites": () => ({
        rows: [
          { target: "s3://acme-reports/austin", mode: "private", shown: [], at: "2026-11-16T09:00:00.000Z", companies: 412 }, // prettier-ignore
        ],
      }),
      [`/api/campaigns/${name}/status`]: () => sampleCampaignStatus,
      [`/api/campaigns/${name}/report`]: () => ({ ...sampleReport, campaign: name }),
      [`/api/campaigns/${name}/coverage`]: () => coverage,
      [`/api/campaigns/${name}/config`]: () => ({ text: 'phrases = ["plumber"]\n', revision: "1" }),
      "/api/companies/count": () => ({ count: found.length, isComplete: true }),
      "/api/companies/facets": () => ({ facets: [{ field: "city", values: [{ value: "Austin", count: 61 }, { value: "Round Rock", count: 40 }] }, { field: "category", values: [{ value: "Tile store", count: 83 }] }], counted: 250, isComplete: true }), // prettier-ignore
      "/api/companies/points": () => ({ rows: companies.map((one) => [one.slug, one.name, one.numbers.latitude, one.numbers.longitude, one.emails.length > 0]), isComplete: true }), // prettier-ignore
      [`/api/companies/${name}/history`]: () => ({ rows: shownCompany(companies[0]!).provenance.map((fact) => ({ ...fact, target: "company/c0", isShown: true })), next: null }), // prettier-ignore
    };
    const answer = answers[path];
    if (answer) return { body: answer() };
    const aboutQueue = queueAnswer(method, path, query);
    if (aboutQueue !== undefined) return { body: aboutQueue };
    if (path in workAnswers) return { body: workAnswers[path] };
    if (path in fleetAnswers) return { body: fleetAnswers[path] };
    if (path in settingsAnswers) return { body: settingsAnswers[path] };
    if (path === "/api/companies") {
      const after = Number(query.get("after") ?? 0);
      const limit = Number(query.get("limit") ?? 100);
      const next = after + limit < found.length ? String(after + limit) : null;
      return { body: { rows: found.slice(after, after + limit), next } };
    }
    if (name === "capital-hardwood") return { body: shownCompany({ ...companies[0]!, slug: name, name: "Capital Hardwood", phones: [], tags: [] }) }; // prettier-ignore
    const company = companies.find(({ slug }) => slug === name);
    return company ? { body: shownCompany(company) } : undefined;
  };
}
