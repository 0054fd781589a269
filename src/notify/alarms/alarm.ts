import { runbookCommand } from "../runbook.ts";
import type { AlarmName } from "./alarm-names.ts";

/** Something that is wrong now and that a person should know of. */
export interface Alarm {
  readonly name: AlarmName;
  /** What it is about: a node, or a kind of task. With the name it is the identity of an alarm. */
  readonly subject: string;
  /** For people: what happened, to what. It may change while the alarm lasts. */
  readonly text: string;
}

/** An alarm began or ended. */
export interface AlarmEvent extends Alarm {
  /** The same in every attempt. */
  readonly id: string;
  readonly what: "began" | "ended";
  /** When this was noticed. */
  readonly atMs: number;
  /** When the alarm was first noticed. */
  readonly sinceMs: number;
  /** The node that noticed it. */
  readonly node: string;
}

/** Where alarms are sent. */
export interface AlarmTarget {
  /** Of this sort there is one: `webhook`, `slack`, `ntfy` or `mail`. */
  readonly name: string;
  /** Rejects if the alarm was not accepted; it is then sent again later. */
  send(event: AlarmEvent, signal: AbortSignal): Promise<void>;
}

export const alarmKey = ({ name, subject }: Pick<Alarm, "name" | "subject">): string =>
  JSON.stringify([name, subject]);

/** One line, as chats and mail subjects show it. */
export const alarmTitle = ({ what, name, subject, node }: AlarmEvent): string =>
  `${what === "began" ? "alarm" : "over"}: ${name.replaceAll("_", " ")} ${subject} (seen by ${node})`;

/** The text of an alarm and, when it begins, the command that prints its runbook page. */
export const alarmBody = ({ what, text, name }: AlarmEvent): string =>
  what === "began" ? `${text}\nwhat to do: ${runbookCommand(name)}` : text;
