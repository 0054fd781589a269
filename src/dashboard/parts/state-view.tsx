import type { ComponentChildren } from "preact";
import type { Resource } from "../data/resource.ts";
import { isPublished } from "../data/published.ts";
import { shownText } from "../data/safe-text.ts";
import type { IconName } from "./icon-names.ts";
import { Icon } from "./icon.tsx";

interface NoticeProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Shown instead of data: nothing there yet, an error, no connection. It names the next step. */
export function Notice({ icon, title, children }: NoticeProps) {
  return (
    <div class="state" role="status">
      <Icon name={icon} />
      <b>{title}</b>
      {children}
    </div>
  );
}

export function Retry({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <button class="btn" onClick={onRetry}>
      <Icon name="refresh-cw" /> Try again
    </button>
  );
}

interface LoadedProps<T> {
  readonly from: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows data as soon as it has arrived, or what to do if it does not arrive. */
export function Loaded<T>({ from, children }: LoadedProps<T>) {
  const { data, failure, isLoading, reload } = from;
  if (data !== undefined) return <>{children(data)}</>;
  if (failure?.kind === "offline" && isPublished)
    return (
      <Notice icon="wifi-off" title="A file of this site cannot be read">
        <p>Are you offline? If the site was published again meanwhile, reload the page.</p>
        <Retry onRetry={reload} />
      </Notice>
    );
  if (failure?.kind === "offline")
    return (
      <Notice icon="wifi-off" title="The server does not answer">
        <p>
          Is <code>forager serve</code> still running? The page continues automatically when it
          answers.
        </p>
        <Retry onRetry={reload} />
      </Notice>
    );
  if (failure?.status === 401)
    return (
      <Notice icon="info" title="You are not signed in">
        <p>
          Run <code>forager dashboard</code> on the machine of the server. It prints a link that
          opens this page.
        </p>
      </Notice>
    );
  if (failure)
    return (
      <Notice icon="triangle-alert" title={failure.title}>
        <p>{shownText(failure.detail, 600)}</p>
        <Retry onRetry={reload} />
      </Notice>
    );
  return isLoading ? <div class="loading" role="status">Loading…</div> : null; // prettier-ignore
}
