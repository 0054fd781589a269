import { useSignal } from "@preact/signals";
import { api, type AnswerOf } from "../data/api.ts";
import { plural } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import { Top } from "../parts/top.tsx";

type Finding = AnswerOf<"GET", "/api/records/audit">["findings"][number];

const shownMax = 200;

const problemWords: Readonly<Record<Finding["problem"], string>> = {
  no_campaign: "no campaign",
  wrong_place: "wrong place",
  wrong_campaign: "wrong campaign",
};

/** Companies that belong to no campaign or to the wrong one, with a button that repairs them. */
export function CampaignAudit() {
  const audit = useResource("audit", (signal) => api.get("/api/records/audit", { signal }), {
    topics: ["campaigns"],
  });
  const isBusy = useSignal(false);
  const able = (audit.data?.findings ?? []).filter(({ changes }) => changes.length > 0).length;
  const repair = async () => {
    isBusy.value = true;
    try {
      const { repaired } = await api.send("POST", "/api/records/audit/repair", { body: {} });
      showToast(`${plural(repaired, "finding")} repaired; the history of each company can undo it`);
      audit.reload();
    } catch (error) {
      showToast(failureText(error, "not all were repaired"));
    }
    isBusy.value = false;
  };
  return (
    <>
      <Top title="Audit of campaigns">
        <a class="btn" href="/companies">
          <Icon name="chevron-left" /> Companies
        </a>
        {may("companies:write") && able > 0 && (
          <button class="btn go" disabled={isBusy.value} onClick={() => void repair()}>
            {isBusy.value ? "Repairing…" : `Repair ${plural(able, "finding")}`}
          </button>
        )}
      </Top>
      <section class="card" aria-label="Findings">
        <Loaded from={audit}>
          {({ findings, companies }) =>
            findings.length === 0 ? (
              <Notice icon="check" title="Every company is in the right campaign">
                <p>{plural(companies, "company", "companies")} were looked at.</p>
              </Notice>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th>Company</th>
                    <th>Problem</th>
                    <th>Is in</th>
                    <th>Belongs to</th>
                    <th>Because</th>
                  </tr>
                </thead>
                <tbody>
                  {findings.slice(0, shownMax).map((finding, at) => (
                    <FindingLine key={at} finding={finding} />
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
      <Same command="forager campaign audit" api="GET /api/records/audit" />
    </>
  );
}

function FindingLine({ finding }: { readonly finding: Finding }) {
  const { slug, name, problem, campaign, belongsTo, evidence } = finding;
  return (
    <tr>
      <td data-label="Company">
        <a href={`/companies?open=${encodeURIComponent(slug)}`}>
          <Text value={name || slug} max={80} />
        </a>
      </td>
      <td data-label="Problem">{problemWords[problem]}</td>
      <td data-label="Is in">{campaign ?? "none"}</td>
      <td data-label="Belongs to">{belongsTo ?? "none fits"}</td>
      <td data-label="Because">
        <Text value={evidence} max={300} />
      </td>
    </tr>
  );
}
