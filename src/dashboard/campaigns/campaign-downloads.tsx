import { may } from "../data/session.ts";
import { DownloadLinks } from "../companies/download-links.tsx";

/** The results of a campaign, as files. */
export function CampaignDownloads({ campaign }: { readonly campaign: string }) {
  if (!may("exports:read")) return null;
  return (
    <section class="card">
      <header>
        <h2>Downloads</h2>
        <small>companies of this campaign as they are now</small>
      </header>
      <DownloadLinks filter={{ campaign }} />
    </section>
  );
}
