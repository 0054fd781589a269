import { apiUrl } from "../data/api.ts";
import type { CompanyFilter } from "./company-query.ts";

const files = [
  ["Companies", "/api/exports/companies", ["csv", "json", "geojson", "kml"]],
  ["Emails", "/api/exports/emails", ["csv", "json", "vcf"]],
] as const;

const formatNames = { csv: "CSV", json: "JSON", geojson: "GeoJSON", kml: "KML", vcf: "vCard" };

/** Links that save companies and their addresses as files. */
export function DownloadLinks({
  filter,
}: {
  readonly filter: CompanyFilter & { readonly campaign?: string };
}) {
  return (
    <dl class="pairs">
      {files.map(([title, path, formats]) => (
        <>
          <dt>{title}</dt>
          <dd class="row">
            {formats.map((format) => (
              <a
                key={format}
                class="btn small"
                href={apiUrl(path, {}, { ...filter, format })}
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
  );
}
