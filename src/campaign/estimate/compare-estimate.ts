import type { CampaignReport } from "../report/report-schema.ts";
import type {
  CampaignEstimate,
  EstimateComparison,
  EstimateFigureName,
} from "./estimate-schema.ts";

/** The figures of a report that were also estimated. Absent figures were not counted. */
export type ActualFigures = Partial<Record<EstimateFigureName, number>>;

export interface CompareOptions {
  readonly estimate: CampaignEstimate;
  readonly actual: ActualFigures;
  /** The rows of the report, by phrase and source. */
  readonly rows: CampaignReport["rows"];
  readonly isFinal: boolean;
  /** The hash of the current plan. */
  readonly plan: string;
}

/** Compares the estimate with the result, figure by figure. */
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
