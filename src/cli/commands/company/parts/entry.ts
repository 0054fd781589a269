import { text as readText } from "node:stream/consumers";
import { asUsage, usageError } from "../../../../base/usage-error.ts";
import { userName } from "../../../../config/index.ts";
import { auditedRecords, type EntryKind, type RecordKind } from "../../../../records/index.ts";
import type { Command, OptionSpec, SettingsContext } from "../../../frame/command.ts";
import { textFlag } from "../../../options/flags.ts";
import { sourceOf, sourceOption } from "../../../options/source-option.ts";
import { editText } from "./editor.ts";
import { findRecord, nameArgument } from "./find-record.ts";
import { parseMoment } from "./parse-moment.ts";
import { openNodeOf } from "../../../frame/node-context.ts";

const callOutcomes = [
  "reached",
  "voicemail",
  "no-answer",
  "busy",
  "wrong-number",
  "callback",
  "interested",
  "not-interested",
] as const;

const callOptions: readonly OptionSpec[] = [
  {
    flag: "--outcome",
    value: "outcome",
    summary: "the outcome of the call",
    choices: callOutcomes,
  },
  { flag: "--callback", value: "moment", summary: "when to call again: 3d, or a date" },
  { flag: "--done", summary: "the callback is done: remove it" },
];

const entryCommand = (kind: RecordKind, entryKind: EntryKind): Command => ({
  needs: "settings",
  arguments: [
    nameArgument(kind),
    {
      name: "text",
      summary: "the text; - reads standard input; without it your editor opens",
      isOptional: true,
      isRepeated: true,
    },
  ],
  options: [
    { flag: "--title", value: "text", summary: "a heading" },
    {
      flag: "--at",
      value: "moment",
      summary: "when it took place (default: now): 2h (ago), or a date",
    },
    { flag: "--by", value: "name", summary: "who did it (default: YOU)" },
    ...(entryKind === "call" ? callOptions : []),
    sourceOption,
  ],
  examples: examples[entryKind].map(([line, summary]) => ({
    line: `forager ${kind} ${entryKind} ${kind === "company" ? "acme" : "anna-berg"} ${line}`,
    summary,
  })),

  async run(context) {
    const { args, flags, out, clock } = context;
    const [name = "", ...words] = args;
    const nowMs = clock.nowMs();
    const past = { nowMs, direction: "past" } as const;
    const at = textFlag(flags, "at");
    const callback = textFlag(flags, "callback");
    const [title, outcome] = [textFlag(flags, "title"), textFlag(flags, "outcome")];
    const moments = {
      ...(at !== undefined && { at: parseMoment("--at", at, past) }),
      ...(callback !== undefined && {
        callback: parseMoment("--callback", callback, { nowMs, direction: "future" }),
      }),
    };
    await using opened = await openNodeOf(context);
    const { target, slug } = await findRecord(opened, kind, name);
    const isDone = flags["done"] === true;
    if (isDone && callback !== undefined) throw usageError("--done ends the callback, --callback sets one: give one of them"); // prettier-ignore
    const isOptional = entryKind === "call" && (outcome !== undefined || isDone);
    const text = await textOf(context, { words, isOptional, what: `${entryKind} about ${slug}` });
    await using _state = await context.recordState(() => auditedRecords(opened.ledger, [target]));
    const entry = await asUsage(() =>
      opened.records.addEntry({
        name: target,
        recordKind: kind,
        kind: entryKind,
        source: sourceOf(context),
        text,
        by: textFlag(flags, "by") ?? userName(),
        ...moments,
        ...(title !== undefined && { title }),
        ...(outcome !== undefined && { outcome }),
        ...(isDone && { isDone }),
      }),
    );
    const again = entry.callback === undefined ? "" : `; call again ${entry.callback}`;
    out.result({ target, slug, entry }, `${entryKind} of ${entry.at} added to ${slug}${again}`);
  },
});

interface Asked {
  readonly words: readonly string[];
  readonly isOptional: boolean;
  readonly what: string;
}

/** Text of several lines is read from a pipe or from an editor. */
async function textOf(
  context: SettingsContext,
  { words, isOptional, what }: Asked,
): Promise<string> {
  const given = words.join(" ");
  const text =
    given === "-"
      ? await readText(context.stdin)
      : given !== "" || isOptional
        ? given
        : await editText({ what, canAsk: context.out.isTerminal });
  if (text.trim() === "" && !isOptional) throw usageError("there is no text: nothing was added");
  return text.trim();
}

const examples: Readonly<Record<EntryKind, readonly (readonly [string, string])[]>> = {
  note: [
    ['"wants an offer in May"', "one line"],
    ["- < minutes.txt", "several lines, from a file"],
  ],
  meeting: [
    ['"agreed on 20 %" --title Kick-off --at 2026-11-12', "a title, and when it took place"],
  ],
  call: [
    ['"asked for the owner" --outcome voicemail --callback 3d', "`to-call` lists it at that time"],
    ["--outcome no-answer", "without a text"],
    ["--done", "`to-call` does not list it any more"],
  ],
};

export const companyNote = entryCommand("company", "note");
export const companyMeeting = entryCommand("company", "meeting");
export const companyCall = entryCommand("company", "call");
export const personNote = entryCommand("person", "note");
export const personMeeting = entryCommand("person", "meeting");
export const personCall = entryCommand("person", "call");
