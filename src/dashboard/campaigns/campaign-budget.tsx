import { formatAmount } from "../data/format.ts";
import type { Report } from "./campaign-funnel.tsx";

type Budget = NonNullable<Report["budget"]>;

const titles = { requests: "Requests", hours: "Hours", dollars: "Bucket cost", companies: "Companies" } as const; // prettier-ignore

/** How much of each limit is spent, and a form for raising a limit that stopped the campaign. */
export function CampaignBudget({
  campaign,
  budget,
}: {
  readonly campaign: string;
  readonly budget: Budget;
}) {
  const { state, reached, limits, left } = budget;
  return (
    <section class="card">
      <header>
        <h2>Budget</h2>
        {state === "budget" && <span class="pill warn">used up</span>}
      </header>
      <table class="bars">
        <tbody>
          {limits.map(({ limit, max, spent }) => {
            const text = (amount: number) =>
              `${limit === "dollars" ? "$" : ""}${formatAmount(amount)}`;
            return (
              <tr key={limit}>
                <td>{titles[limit]}</td>
                <td>
                  <span class="bar" aria-hidden>
                    <i style={{ width: `${Math.min(100, Math.round((100 * spent) / max))}%` }} />
                  </span>
                </td>
                <td class="n nowrap">
                  {text(spent)} <span class="dim">of {text(max)}</span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {state === "budget" && reached !== undefined && (
        <p class="dim">
          {left > 0
            ? "The campaign has stopped. Raise the limit to continue: "
            : "All work is done. To find more, raise the limit: "}
          <code>
            forager campaign set {campaign} budget.{reached}=…
          </code>
        </p>
      )}
    </section>
  );
}
