import { api } from "../data/api.ts";
import { formatCount, formatShare } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { Text } from "../parts/text.tsx";
import type { Report } from "./campaign-funnel.tsx";

/** The maximum number of phrases in one request to the API. */
const explainedMax = 50;

/** What each phrase means to the sources, and what it found. */
export function CampaignPhrases({ report }: { readonly report: Report }) {
  const phrases = [...new Set(report.rows.map(({ phrase }) => phrase))].slice(0, explainedMax);
  const explained = useResource(
    phrases.join("\n"),
    (signal) => api.get("/api/phrases", { query: { phrase: phrases }, signal }),
    { isIdle: phrases.length === 0 },
  );
  const tagsOf = ({ phrase, source }: Report["rows"][number]) => {
    const used = (explained.data?.rows ?? [])
      .filter((one) => one.phrase.toLowerCase() === phrase.toLowerCase())
      .flatMap(({ matches }) => matches)
      .filter(({ state }) => state === "used");
    // A file of places may have the tags of any source.
    const own = used.filter((match) => source.includes(match.source));
    return own.length > 0 ? own : used;
  };
  const mapOf = (phrase: string) =>
    `/map?campaign=${encodeURIComponent(report.campaign)}&phrase=${encodeURIComponent(phrase)}`;
  return (
    <section class="card">
      <header>
        <h2>What each phrase found</h2>
        <small>
          with the tags that it stands for; a company that two phrases found is in both rows
        </small>
      </header>
      <table class="cards">
        <thead>
          <tr>
            <th>Phrase</th>
            <th>Source</th>
            <th class="n">Tiles</th>
            <th class="n">Places</th>
            <th class="n">Companies</th>
            <th class="n">Visited</th>
            <th class="n">With email</th>
          </tr>
        </thead>
        <tbody>
          {report.rows.map((row) => (
            <tr key={`${row.phrase} ${row.source}`}>
              <td data-label="Phrase">
                <a href={mapOf(row.phrase)}>
                  <Text value={row.phrase} max={80} />
                </a>
                <br />
                <small class="dim">
                  {tagsOf(row).map(({ tag, because }) => (
                    <span class="tag" key={tag} title={`because of ${because}`}>
                      <Text value={tag} max={60} />
                    </span>
                  ))}
                </small>
              </td>
              <td data-label="Source">{row.source}</td>
              <td class="n" data-label="Tiles">
                <a href={mapOf(row.phrase)}>{formatCount(row.tiles)}</a>
              </td>
              <td class="n" data-label="Places">
                <a href={mapOf(row.phrase)}>{formatCount(row.places)}</a>
              </td>
              <td class="n" data-label="Companies">
                {formatCount(row.companies)}
              </td>
              <td class="n" data-label="Visited">
                {formatCount(row.visited)}
              </td>
              <td class="n" data-label="With email">
                {formatCount(row.withEmail)}{" "}
                <span class="dim">{formatShare(row.withEmail, row.companies)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
