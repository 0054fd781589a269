import { spawn } from "node:child_process";
import { findRunningServer } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";

export const dashboard: Command = {
  needs: "settings",
  options: [
    { flag: "--open", summary: "also open the link in your browser, if this is a terminal" },
  ],
  examples: [
    { line: "forager dashboard", summary: "print a link that opens the dashboard once" },
    { line: "forager dashboard --open", summary: "also open it in the browser" },
    { line: "forager dashboard --json", summary: "address and link as JSON" },
  ],
  details: [
    "Asks the server of this data folder (`forager up` or `forager serve`); exits 1 if\n" +
      "none is running. The link works once, within five minutes.",
    "--open uses xdg-open (macOS: open). Other users of this machine may see the link in the list of\n" +
      "processes until the browser has used it.",
  ],

  async run({ flags, out, paths, signal }) {
    const server = await findRunningServer({ paths, signal });
    const { url: link } = await server.call((api) => api.send("POST", "/api/session/links", {}));
    out.result({ address: server.origin, link }, link);
    if (flags["open"] !== true) return;
    if (!out.isTerminal) return out.note("the link was not opened: this is not a terminal");
    const why = await openInBrowser(link);
    if (why !== undefined) out.note(`the link was not opened (${why}): open it by hand`);
  },
};

/**
 * Returns undefined as soon as the program that opens links has started; it does not wait for the
 * browser. Otherwise returns the reason.
 */
function openInBrowser(link: string): Promise<string | undefined> {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  return new Promise((resolve) => {
    const child = spawn(program, [link], { stdio: "ignore", detached: true });
    child.once("error", (error) => resolve(error.message));
    child.once("spawn", () => resolve(undefined));
    child.unref();
  });
}
