import type { CampaignReport } from "../report/report-schema.ts";
import type {
  CampaignEstimate,
  EstimateComparison,
  EstimateFigureName,
} from "./estimate-schema.ts";

/** What a report says of the figures that were estimated. Absent: nobody counted it. */
export type ActualFigures = Partial<Record<EstimateFigureName, number>>;

export interface CompareOptions {
  readonly estimate: CampaignEstimate;
  readonly actual: ActualFigures;
  /** Of the report, by phrase and source. */
  readonly rows: CampaignReport["rows"];
  readonly isFinal: boolean;
  /** The hash of the plan as it is now. */
  readonly plan: string;
}

/** Estimate against what happened, figure by figure. */
export function compareEstimate(options: CompareOptions): EstimateComparison {
  const { estimate, actual, rows, isFinal, plan } = options;
  const placesOf = (phrase: string) =>
    rows.filter((row) => row.phrase === phrase).reduce((sum, { places }) => sum + places, 0);
  return {
    at: estimate.at,
    isFinal,
    isOutdated: plan !== estimate.plan,
    rows: [
      ...figuresOf(actual).map(([figure, happened]) => {
        const { value, basis } = estimate[figure];
        return { figure, basis, ...compared(value, happened) };
      }),
      ...estimate.phrases.map(({ phrase, places, basis }) => ({
        figure: "places",
        phrase,
        basis,
        ...compared(places, placesOf(phrase)),
      })),
    ],
  };
}

const figuresOf = (actual: ActualFigures) =>
  Object.entries(actual) as readonly (readonly [EstimateFigureName, number])[];

const compared = (estimated: number, actual: number) => ({
  estimated,
  actual,
  errorPercent:
    actual === 0
      ? estimated === 0
        ? 0
        : null
      : Math.round(((estimated - actual) / actual) * 1_000) / 10,
});
