import { openServe } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { untilStopped } from "../../frame/until-stopped.ts";

export const serve: Command = {
  needs: "settings",
  keepsLog: true,
  options: [
    {
      flag: "--listen",
      value: "address",
      summary: "HOST:PORT (default: serve.listen, which is 127.0.0.1:4870)",
    },
    {
      flag: "--open-loopback",
      summary: "allow access from this machine without the secret",
    },
  ],
  examples: [
    { line: "forager serve", summary: "API and dashboard of this data folder, until Ctrl-C" },
    { line: "forager serve --listen 127.0.0.1:0", summary: "on a free port" },
    { line: "forager serve --listen 0.0.0.0:4870", summary: "for other machines, once there are users" }, // prettier-ignore
    { line: "forager serve --json", summary: "prints one JSON document with the address" },
  ],
  details: [
    "Prints a link that opens the dashboard once; `forager dashboard` prints another one. Programs send\n" +
      "the secret in the file node/api.token of the data folder: `forager api GET /api/status` does.",
    "To listen on other addresses, add users first: `forager user add NAME --role admin`. Without\n" +
      "users, connect from other machines through `ssh -L 4870:127.0.0.1:4870 HOST`.",
    "It owns the data folder and keeps it in sync like `forager node run`, or is a client of the\n" +
      "process that does, such as `forager up`.",
  ],

  async run(context) {
    const { flags, out, loaded, paths, clock, log, signal } = context;
    const isOpen = flags["openLoopback"] === true;
    await using server = await openServe({
      loaded,
      paths,
      listen: textFlag(flags, "listen"),
      isOpen,
      clock,
      log,
      signal,
    });
    await server.start();
    const address = server.origin();
    if (isOpen) out.note("every user and program on this machine may read and change everything");
    if (server.isExposed) {
      out.note("passwords and data travel unencrypted: set serve.certFile and serve.keyFile, or put a proxy with TLS in front and name it in serve.proxies"); // prettier-ignore
    }
    const link = isOpen ? address : server.firstLink();
    const text = `API and dashboard: ${address}\nopen once: ${link}\n`;
    await out.piece(out.isJson ? `${JSON.stringify({ address, link })}\n` : text);
    await Promise.race([untilStopped(signal), server.gone]);
    await server.stop();
    return "stopped";
  },
};
