import { createPhraseMatcher, phraseLanguages, type TagMatch } from "../../../sources/index.ts";
import type { Command } from "../../frame/command.ts";
import { listFlag } from "../../options/flags.ts";
import { usageError } from "../../../base/usage-error.ts";

export const phrases: Command = {
  needs: "nothing",
  arguments: [
    { name: "text", summary: "a phrase, such as 'flooring contractor'", isRepeated: true },
  ],
  options: [
    {
      flag: "--lang",
      value: "code",
      summary: "language of the phrases besides English (default: tries all)",
      isRepeated: true,
    },
  ],
  examples: [
    { line: "forager phrases plumber 'law firm'", summary: "their tags and categories" },
    { line: "forager phrases Bodenleger --lang de --json", summary: "a German phrase, as JSON" },
  ],
  details: [
    "Places are found by the tags with state `used`, and by names that have every word of the\n" +
      "phrase. Tags with state `proposed` are less certain: to use one, or any other tag, add it under\n" +
      '[tags."the phrase"] in the config.toml of a campaign.',
  ],

  run({ args, flags, out }) {
    const languages = listFlag(flags, "lang") ?? [];
    const unknown = languages.find((language) => !phraseLanguages().includes(language));
    if (unknown !== undefined) {
      throw usageError(`--lang takes ${phraseLanguages().join(", ")}, not '${unknown}'`);
    }
    const matcher = createPhraseMatcher({ languages });
    const found = args.map((phrase) => matcher.match(phrase));
    const rows = found.flatMap(({ phrase, matches }): Row[] =>
      matches.length === 0
        ? [{ phrase }]
        : matches.map((match, at) => ({ phrase: at === 0 ? phrase : "", match })),
    );
    out.result(found, (layout) => layout.table(rows, columns));
    return Promise.resolve();
  },
};

interface Row {
  readonly phrase: string;
  readonly match?: TagMatch;
}

const columns = [
  { title: "phrase", value: ({ phrase }: Row) => phrase },
  { title: "source", value: ({ match }: Row) => match?.source ?? "-" },
  { title: "tag", value: ({ match }: Row) => match?.tag ?? "none: only names are searched" },
  { title: "score", value: ({ match }: Row) => match?.score.toFixed(2) ?? "" },
  { title: "state", value: ({ match }: Row) => match?.state ?? "" },
  { title: "because of", value: ({ match }: Row) => match?.because ?? "" },
];
