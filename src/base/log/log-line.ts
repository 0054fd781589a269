import { escapeControls } from "../text/terminal-text.ts";

/** A log line for people: `12:30:05 warn  lease lost taskId=42 error="…"`. Takes a line of JSON. */
export function formatLogLine(json: string): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const clockTime = new Date(String(time)).toTimeString().slice(0, 8); // in the reader's time zone
  const shown = Object.entries(fields).map(
    ([key, value]) => `${escapeControls(key)}=${formatValue(value)}`,
  );
  return (
    [clockTime, String(level).padEnd(5), escapeControls(String(msg)), ...shown].join(" ") + "\n"
  );
}

function formatValue(value: unknown): string {
  if (isError(value)) return quoted(formatError(value));
  if (typeof value === "string") return /^[\w.:/@+*-]+$/.test(value) ? value : quoted(value);
  return escapeControls(JSON.stringify(value));
}

interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly kind?: string;
  readonly code?: string | number;
  readonly errors?: unknown;
  readonly cause?: unknown;
}

function isError(value: unknown): value is LoggedError {
  return typeof value === "object" && value !== null && "name" in value && "message" in value;
}

/** An error, then what caused it: `unavailable bucket_down: no answer ← connect ECONNREFUSED`. */
function formatError(error: LoggedError): string {
  const labels = [error.kind ?? error.name, error.code].filter((label) => label !== undefined);
  const parts = [`${labels.join(" ")}: ${error.message}`];
  if (Array.isArray(error.errors)) parts.push(`[${error.errors.map(formatCause).join("; ")}]`);
  if (error.cause !== undefined) parts.push(`← ${formatCause(error.cause)}`);
  return parts.join(" ");
}

const formatCause = (cause: unknown): string =>
  isError(cause) ? formatError(cause) : typeof cause === "string" ? cause : JSON.stringify(cause);

const quoted = (text: string) => escapeControls(JSON.stringify(text));
