import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Notice, Retry } from "./state-view.tsx";

/** A component whose code is fetched when it is first shown. */
export function lazyScreen<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element {
  const loaded = signal<ComponentType<Props> | undefined>(undefined);
  const hasFailed = signal(false);
  const fetchCode = async () => {
    hasFailed.value = false;
    try {
      loaded.value = await load();
    } catch {
      hasFailed.value = true;
    }
  };
  return function LazyScreen(props) {
    useEffect(() => {
      if (!loaded.value) void fetchCode();
    }, []);
    const View = loaded.value;
    if (View) return <View {...props} />;
    if (hasFailed.value)
      return (
        <Notice icon="wifi-off" title="This screen could not be loaded">
          <p>Is the server still running? After an update of Forager, reload the page.</p>
          <Retry onRetry={() => void fetchCode()} />
        </Notice>
      );
    return <div class="loading" role="status">Loading…</div>; // prettier-ignore
  };
}
