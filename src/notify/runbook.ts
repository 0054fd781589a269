import { readFileSync } from "node:fs";
import { AppError } from "../base/app-error.ts";
import { docsPage } from "../base/files/docs-page.ts";
import { alarmNames } from "./alarms/alarm-names.ts";

/** Problems with a page: all alarms, and problems that are shown in `forager status` and reports but not sent as alarms. */
export const runbookNames = [...alarmNames, "failed_tasks", "idle_tasks", "empty_tiles"] as const;
export type RunbookName = (typeof runbookNames)[number];

export interface RunbookPage {
  readonly name: RunbookName;
  readonly title: string;
  /** The first paragraph, which says what the problem means. */
  readonly meaning: string;
  /** The whole page, in Markdown. */
  readonly text: string;
}

/** The command that prints a page, for use in messages. */
export const runbookCommand = (name: RunbookName): string => `forager runbook ${name}`;

export function readRunbookPage(name: string): RunbookPage {
  const known = runbookNames.find((one) => one === name);
  if (known === undefined) {
    const text = `the runbook has no page ${name}; its pages are ${runbookNames.join(", ")}`;
    throw new AppError("invalid", "no_runbook_page", text);
  }
  const file = docsPage("runbook/README.md").replace(/README\.md$/, `${known}.md`);
  const text = readFileSync(file, "utf8");
  const [heading = "", meaning = ""] = text.split("\n\n");
  return { name: known, title: heading.replace(/^# /, ""), meaning, text };
}

export const listRunbook = (): readonly RunbookPage[] => runbookNames.map(readRunbookPage);
