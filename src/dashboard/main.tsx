import { render } from "preact";
import { tick } from "./data/format.ts";
import { startLive } from "./data/live.ts";
import { followLinks } from "./data/router.ts";
import { loadSession } from "./data/session.ts";
import { applyTheme, theme } from "./data/theme.ts";
import { Shell } from "./shell/shell.tsx";

applyTheme(theme.value);
followLinks();
startLive();
void loadSession();
setInterval(() => {
  if (!document.hidden) tick.value += 1;
}, 1_000);
render(<Shell />, document.getElementById("app")!);
