import {
  isNameSort,
  placeFlags,
  type CommandLine,
  type FlagValues,
  type Word,
} from "./command-line.ts";
import { indent } from "./shell-text.ts";

/** To be stored as forager.fish in a folder of $fish_complete_path. */
export function fishScript(line: CommandLine): string {
  const { places, globalFlags, globalValues, valueFlags } = line;
  const known = places.filter(({ path }) => path !== "");
  const words = places.flatMap(({ path, words: positions, names }) =>
    positions.map((offered, position) => {
      const sort = names[position];
      const action = sort
        ? `set words (__forager_names ${sort} $settings)`
        : `set words ${texts(offered)}`;
      return arm(`${path}/${position}`, action);
    }),
  );
  const flags = places
    .filter((place) => place.flags.length > 0)
    .map(({ path, flags: offered }) => arm(path, `set -a flags ${texts(offered)}`));
  const values = [
    ...places.flatMap(({ path, values: own }) =>
      own.map((value) => arm(`${path} ${value.flag}`, offer(value))),
    ),
    ...globalValues.map((value) => arm(`* ${value.flag}`, offer(value))),
  ];

  return `# fish completion for forager, made by: forager completion fish
function __forager_names
    forager names $argv[1] --quiet $argv[2..] 2>/dev/null
end
function __forager_complete
    set -l at ""
    set -l given 0
    set -l flag ""
    set -l settings
    set -l words
    set -l current (commandline -ct)
    set -l typed (commandline -opc)
    for word in $typed[2..]
        if test -n "$flag"
            if contains -- $flag ${placeFlags.join(" ")}
                set -a settings $flag $word
            end
            set flag ""
            continue
        end
        switch $word
            case ${valueFlags.join(" ")}
                set flag $word
            case '-*'
            case '*'
                switch (string trim -- "$at $word")
                    case ${known.map(({ path }) => quote(path)).join(" ")}
                        set at (string trim -- "$at $word")
                    case '*'
                        set given (math $given + 1)
                end
        end
    end
    if test -n "$flag"
        switch "$at $flag"
${indent(values, 12)}
        end
        return
    end
    set -l flags ${texts(globalFlags)}
    switch "$at/$given"
${indent(words, 8)}
    end
    switch "$at"
${indent(flags, 8)}
    end
    if string match -q -- '-*' "$current"; or test (count $words) -eq 0
        printf '%s\\n' $flags
    else
        printf '%s\\n' $words
    end
end
complete -c forager -e
complete -c forager -f -a '(__forager_complete)'
`;
}

const arm = (pattern: string, action: string) => `case ${quote(pattern)}\n    ${action}`;

/** Inside single quotes, fish interprets only \\\\ and \\' as escapes. */
const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** A tab separates a word from its description. */
const texts = (words: readonly Word[]) =>
  words.map(({ text, summary }) => quote(`${text}\t${summary}`)).join(" ");

function offer({ offer: offered }: FlagValues): string {
  if (offered === "file") return `__fish_complete_path "$current"`;
  if (offered === "directory") return `__fish_complete_directories "$current" ""`;
  if (isNameSort(offered)) return `__forager_names ${offered} $settings`;
  return `printf '%s\\n' ${offered.map(quote).join(" ")}`;
}
