import { plural } from "../data/format.ts";
import { withQuery } from "../data/router.ts";
import { Text } from "../parts/text.tsx";

export function CampaignChoice({
  names,
  chosen,
}: {
  readonly names: readonly string[];
  readonly chosen: string | undefined;
}) {
  // prettier-ignore
  return (
    <span class="row" role="group" aria-label="Campaign">
      {names.slice(0, 6).map((name) => (
        <a
          key={name}
          class={`pill ${name === chosen ? "" : "quiet"}`}
          href={withQuery({ campaign: name })}
          aria-current={name === chosen ? "true" : undefined}
        >
          <Text value={name} max={30} />
        </a>
      ))}
      {names.length > 6 && <a class="dim" href="/campaigns">{plural(names.length, "campaign")}</a>}
    </span>
  );
}
