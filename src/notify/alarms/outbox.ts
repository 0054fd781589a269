/**
 * The state of all alarms of a data folder, in one file that is always replaced as a whole:
 * - an alarm and the messages about it are stored together, before anything is sent;
 * - a message leaves the file only when its target has accepted it, or has rejected it for a day.
 *   So a crash at any moment loses no message, but may send one twice, with the same id.
 */
import { dirname } from "node:path";
import * as z from "zod";
import { alarmNames } from "./alarm-names.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";

const alarmSchema = z.object({
  name: z.enum(alarmNames).catch("alert"),
  subject: z.string(),
  text: z.string(),
});
const eventSchema = alarmSchema.extend({
  id: z.string(),
  what: z.enum(["began", "ended"]),
  atMs: z.number(),
  sinceMs: z.number(),
  node: z.string(),
});
const outboxSchema = z.object({
  format: z.literal(1),
  active: z.array(alarmSchema.extend({ sinceMs: z.number() })).readonly(),
  messages: z
    .array(
      z.object({
        target: z.string(),
        event: eventSchema,
        attempts: z.number(),
        nextAtMs: z.number(),
      }),
    )
    .readonly(),
});

export type AlarmOutbox = z.output<typeof outboxSchema>;
export type AlarmMessage = AlarmOutbox["messages"][number];
export type ActiveAlarm = AlarmOutbox["active"][number];

export const emptyOutbox: AlarmOutbox = { format: 1, active: [], messages: [] };

export interface OutboxFile {
  /** A missing or damaged file counts as an empty one. */
  read(): Promise<AlarmOutbox>;
  /** When it resolves, the content survives a power cut. */
  write(outbox: AlarmOutbox): Promise<void>;
}

export function openOutboxFile(file: string): OutboxFile {
  return {
    async read() {
      try {
        return outboxSchema.parse(JSON.parse((await readRegularFile(file)).toString()));
      } catch {
        return emptyOutbox;
      }
    },
    async write(outbox) {
      makeFolder(dirname(file), { mode: 0o700 });
      await writeFileAtomic(file, `${JSON.stringify(outbox)}\n`, { mode: 0o600 });
    },
  };
}
