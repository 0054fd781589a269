import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { leftOutValues, openPublished, siteFault } from "../data/published.ts";
import { loadSession } from "../data/session.ts";
import { Notice } from "../parts/state-view.tsx";
import { Shell } from "../shell/shell.tsx";

/** The message if a link does not open the site. */
const faults = {
  "no-key": ["This site is encrypted", "Open it by the whole link that you were given. It ends with #k= and a key."],
  "wrong-key": ["This link does not open the site", "Its key is not complete, or it was replaced. Ask for a new link where you got this one."],
  insecure: ["This site needs https", "It is encrypted, and browsers can open it only on a page that was loaded by https, or from this machine."],
  newer: ["The page is older than its data", "Reload it. If that does not help, the site has to be published again."],
  unreadable: ["This site cannot be read", "Its manifest.json is missing or cannot be loaded. Are you offline? Otherwise it has to be published again."],
} as const; // prettier-ignore

/** Shows the shell when the site is open. */
export function PublishedSite() {
  const isOpen = useSignal(false);
  useEffect(() => {
    openPublished().then(
      ({ manifest }) => {
        leftOutValues.value = new Set(manifest.body.leftOut.values);
        void loadSession();
        isOpen.value = true;
      },
      (error: unknown) => {
        const { reason } = error as { readonly reason?: keyof typeof faults };
        siteFault.value = reason ?? "unreadable";
      },
    );
  }, []);
  if (isOpen.value) return <Shell />;
  if (siteFault.value === undefined) return <div class="loading" role="status">Loading…</div>; // prettier-ignore
  const [title, text] = faults[siteFault.value];
  return (
    <main class="site-fault">
      <Notice icon="triangle-alert" title={title}>
        <p>{text}</p>
      </Notice>
    </main>
  );
}
