import { render } from "preact";
import { slowTick, tick } from "./data/format.ts";
import { isStreaming, startLive } from "./data/live.ts";
import { isPublished } from "./data/published.ts";
import { followLinks } from "./data/router.ts";
import { loadSession } from "./data/session.ts";
import { applyTheme, theme } from "./data/theme.ts";
import { PublishedSite } from "./published/published-site.tsx";
import { Shell } from "./shell/shell.tsx";

applyTheme(theme.value);
followLinks();
startLive();
if (!isPublished) {
  void loadSession();
  // The stream also ends when the session ends; then the page shows the sign-in form.
  isStreaming.subscribe((isOpen) => {
    if (isOpen === false) void loadSession();
  });
}
setInterval(() => {
  if (document.hidden) return;
  tick.value += 1;
  if (tick.value % 15 === 0) slowTick.value += 1;
}, 1_000);
render(isPublished ? <PublishedSite /> : <Shell />, document.getElementById("app")!);
