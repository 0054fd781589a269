import { createTransport } from "nodemailer";
import { AppError } from "../../../base/app-error.ts";
import { parseUrl } from "../../../base/text/parse-url.ts";
import { alarmBody, alarmTitle, type AlarmTarget } from "../../alarms/alarm.ts";

export interface MailTargetOptions {
  /**
   * smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS&to=ADDRESS,ADDRESS; smtps:// means TLS from the
   * start.
   */
  readonly url: () => Promise<string>;
}

const timeoutMs = 20_000;

/**
 * Sends alarms by SMTP. A password is never sent over an unencrypted connection, except to this
 * machine.
 */
export function createMailTarget({ url }: MailTargetOptions): AlarmTarget {
  return {
    name: "mail",
    async send(event, signal) {
      const { from, to, ...server } = parseMailUrl(await url());
      const transport = createTransport({
        ...server,
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const onAbort = () => transport.close();
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        await transport.sendMail({
          from,
          to,
          subject: `[forager] ${alarmTitle(event)}`,
          text: `${alarmBody(event)}\n\nsince ${new Date(event.sinceMs).toISOString()}, seen by ${event.node}\n`,
          messageId: `<${event.id}@forager.invalid>`,
          date: new Date(event.atMs),
          headers: { "Auto-Submitted": "auto-generated" },
        });
      } catch (cause) {
        const text = `the mail server refused the message: ${(cause as Error).message}`;
        throw new AppError("unavailable", "mail_refused", text, { cause });
      } finally {
        signal.removeEventListener("abort", onAbort);
        transport.close();
      }
    },
  };
}

function parseMailUrl(text: string) {
  const url = parseUrl(text);
  const [from, to] = [url?.searchParams.get("from"), url?.searchParams.get("to")];
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || !from || !to) {
    const message =
      "alert.mail must be smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS&to=ADDRESS (or smtps://)";
    throw new AppError("invalid", "bad_mail_url", message);
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "smtps:";
  const user = decodeURIComponent(url.username);
  const isLocal = host === "localhost" || host === "::1" || host.startsWith("127.");
  return {
    host,
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && user !== "" && !isLocal,
    ...(user !== "" && { auth: { user, pass: decodeURIComponent(url.password) } }),
    from,
    to: to.split(","),
  };
}
