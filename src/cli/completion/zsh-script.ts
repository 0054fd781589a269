import {
  isNameSort,
  placeFlags,
  type CommandLine,
  type FlagValues,
  type Word,
} from "./command-line.ts";
import { indent, quote } from "./shell-text.ts";

/** To be stored as _forager in a folder of fpath, or sourced after compinit. */
export function zshScript(line: CommandLine): string {
  const { places, globalFlags, globalValues, valueFlags } = line;
  const known = places.filter(({ path }) => path !== "");
  const words = places.flatMap(({ path, words: positions }) =>
    positions.map((offered, position) => arm(`${path}/${position}`, `names=${pairs(offered)}`)),
  );
  const found = places.flatMap(({ path, names: sorts }) =>
    sorts.flatMap((sort, position) =>
      sort ? [arm(`${path}/${position}`, `names=(${namesOf(sort)})`)] : [],
    ),
  );
  const flags = places
    .filter((place) => place.flags.length > 0)
    .map(({ path, flags: offered }) => arm(path, `flags+=${pairs(offered)}`));
  const values = [
    ...places.flatMap(({ path, values: own }) =>
      own.map((value) => arm(`${path} ${value.flag}`, offer(value))),
    ),
    ...globalValues.map((value) => `(*${quote(` ${value.flag}`)}) ${offer(value)} ;;`),
  ];

  return `#compdef forager
# zsh completion for forager, made by: forager completion zsh
_forager() {
  local at="" flag="" word
  local -i index given=0
  local -a names settings flags=${pairs(globalFlags)}
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    if [[ -n $flag ]]; then
      case $flag in (${placeFlags.join("|")}) settings+=($flag $word) ;; esac
      flag=""
      continue
    fi
    case $word in
      (${valueFlags.join("|")}) flag=$word ;;
      (-*) ;;
      (*)
        case "\${at:+$at }$word" in
          (${known.map(({ path }) => quote(path)).join("|")}) at="\${at:+$at }$word" ;;
          (*) ((given += 1)) ;;
        esac
        ;;
    esac
  done

  # --flag=value is one word: what follows the sign is completed like a word of its own.
  if [[ -z $flag && \${words[CURRENT]} == --*=* ]]; then
    flag=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  if [[ -n $flag ]]; then
    case "$at $flag" in
${indent(values, 6)}
    esac
    return
  fi
  case "$at/$given" in
${indent(words, 4)}
  esac
  if [[ \${words[CURRENT]} != -* ]]; then
    case "$at/$given" in
${indent(found, 6)}
    esac
  fi
  case $at in
${indent(flags, 4)}
  esac
  if [[ \${words[CURRENT]} == -* || $#names -eq 0 ]]; then
    _describe -o option flags
  else
    _describe command names
  fi
}
if [[ $funcstack[1] == _forager ]]; then _forager "$@"; else compdef _forager forager; fi
`;
}

const namesOf = (sort: string) => `\${(f)"$(forager names ${sort} --quiet $settings 2>/dev/null)"}`;

const arm = (pattern: string, action: string) => `(${quote(pattern)}) ${action} ;;`;

/** _describe expects "word:summary", so a colon inside the word must be escaped. */
const pairs = (words: readonly Word[]) =>
  `(${words.map(({ text, summary }) => quote(`${text.replaceAll(":", "\\:")}:${summary}`)).join(" ")})`;

function offer({ offer: offered }: FlagValues): string {
  if (offered === "file") return "_files";
  if (offered === "directory") return "_files -/";
  if (isNameSort(offered)) return `compadd -- ${namesOf(offered)}`;
  return `compadd -- ${offered.map(quote).join(" ")}`;
}
