import { apiUrl } from "../data/api.ts";
import { may } from "../data/session.ts";

const files = [
  ["Companies", "/api/exports/companies", ["csv", "json", "geojson", "kml"]],
  ["Emails", "/api/exports/emails", ["csv", "json", "vcf"]],
] as const;

const formatNames = { csv: "CSV", json: "JSON", geojson: "GeoJSON", kml: "KML", vcf: "vCard" };

/** The results of a campaign, as files. */
export function CampaignDownloads({ campaign }: { readonly campaign: string }) {
  if (!may("exports:read")) return null;
  return (
    <section class="card">
      <header>
        <h2>Downloads</h2>
        <small>companies of this campaign as they are now</small>
      </header>
      <dl class="pairs">
        {files.map(([title, path, formats]) => (
          <>
            <dt>{title}</dt>
            <dd class="row">
              {formats.map((format) => (
                <a
                  key={format}
                  class="btn small"
                  href={apiUrl(path, {}, { campaign, format })}
                  aria-label={`${title} as ${formatNames[format]}`}
                  download
                >
                  {formatNames[format]}
                </a>
              ))}
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}
