import { useSignal } from "@preact/signals";
import { saveDownload } from "../data/published.ts";
import { formatCount } from "../data/format.ts";
import { showToast } from "../parts/toast.tsx";
import { useSite } from "./use-site.ts";

const formatNames: Readonly<Record<string, string>> = { csv: "CSV", json: "JSON", kml: "KML", geojson: "GeoJSON" }; // prettier-ignore

/** The companies of a campaign, or of the site, as files. They are assembled in the browser. */
export function PublishedDownloads({ campaign }: { readonly campaign: string | undefined }) {
  const site = useSite();
  const saving = useSignal<string | undefined>(undefined);
  if (!site) return null;
  const own = site.body.campaigns.find((one) => one.campaign === campaign);
  const downloads = own?.downloads ?? site.body.downloads;
  const name = `${campaign ?? "companies"}-${site.at.slice(0, 10)}`;
  const save = async (download: (typeof downloads)[number]) => {
    saving.value = download.format;
    try {
      await saveDownload(name, download);
    } catch {
      showToast(
        "The file could not be read. If the site was published again meanwhile, reload the page.",
      );
    }
    saving.value = undefined;
  };
  return (
    <section class="card" aria-label="Downloads">
      <header>
        <h2>Downloads</h2>
        <small>
          {campaign === undefined ? "companies of this site" : "companies of this campaign"}
        </small>
      </header>
      <dl class="pairs">
        <dt>Companies</dt>
        <dd class="row">
          {downloads.map((download) => (
            <button
              key={download.format}
              class="btn small"
              title={`${formatCount(download.rows)} companies`}
              disabled={saving.value !== undefined}
              onClick={() => void save(download)}
            >
              {formatNames[download.format] ?? download.format}
            </button>
          ))}
        </dd>
      </dl>
    </section>
  );
}
