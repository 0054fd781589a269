import { timeOf } from "../data/format.ts";
import { shownText } from "../data/safe-text.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago, Text } from "../parts/text.tsx";
import type { CompanyShown } from "./company-drawer.tsx";

export function CompanyEntries({ company }: { readonly company: CompanyShown }) {
  const entries = company.entries.toSorted((a, b) => (a.at < b.at ? 1 : -1));
  return (
    <>
      {company.callback !== undefined && (
        <p>
          <Icon name="clock" /> Call back <Ago atMs={timeOf(company.callback)} />
        </p>
      )}
      {entries.length === 0 ? (
        <p class="dim">No notes, meetings or calls yet.</p>
      ) : (
        <ol class="timeline">
          {entries.map(({ id, kind, at, text, title, by, outcome }) => (
            <li key={id}>
              <b>{title ? shownText(title, 120) : kind}</b>{" "}
              {outcome && <span class="pill quiet">{shownText(outcome, 40)}</span>}{" "}
              <small class="dim" title={at}>
                {by ? `${shownText(by, 40)}, ` : ""}
                <Ago atMs={timeOf(at)} />
              </small>
              <br />
              <Text value={text} max={4_000} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
