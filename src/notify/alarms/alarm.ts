import { runbookCommand } from "../runbook.ts";
import type { AlarmName } from "./alarm-names.ts";

/** A problem that exists now and that a person should know about. */
export interface Alarm {
  readonly name: AlarmName;
  /** What the alarm is about: a node, or a kind of task. Name and subject identify an alarm. */
  readonly subject: string;
  /** For people: what happened, and to what. The text may change while the alarm lasts. */
  readonly text: string;
}

/** An alarm began or ended. */
export interface AlarmEvent extends Alarm {
  /** The id is the same in every attempt. */
  readonly id: string;
  readonly what: "began" | "ended";
  /** When the event was detected. */
  readonly atMs: number;
  /** When the alarm was first detected. */
  readonly sinceMs: number;
  /** The node that detected it. */
  readonly node: string;
}

/** A destination of alarms. */
export interface AlarmTarget {
  /** The type of the target: `webhook`, `slack`, `ntfy` or `mail`. There is at most one of each. */
  readonly name: string;
  /** Rejects if the alarm was not accepted; it is then sent again later. */
  send(event: AlarmEvent, signal: AbortSignal): Promise<void>;
}

export const alarmKey = ({ name, subject }: Pick<Alarm, "name" | "subject">): string =>
  JSON.stringify([name, subject]);

/** One line, shown in chats and as the subject of a mail. */
export const alarmTitle = ({ what, name, subject, node }: AlarmEvent): string =>
  `${what === "began" ? "alarm" : "over"}: ${name.replaceAll("_", " ")} ${subject} (seen by ${node})`;

/** The text of an alarm and, when it begins, the command that prints its runbook page. */
export const alarmBody = ({ what, text, name }: AlarmEvent): string =>
  what === "began" ? `${text}\nwhat to do: ${runbookCommand(name)}` : text;
