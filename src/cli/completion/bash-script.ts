import {
  isNameSort,
  placeFlags,
  type CommandLine,
  type FlagValues,
  type Word,
} from "./command-line.ts";
import { indent, quote } from "./shell-text.ts";

/** Works with bash 3.2 (the version of macOS) or newer, without the bash-completion package. */
export function bashScript(line: CommandLine): string {
  const { places, globalFlags, globalValues, valueFlags } = line;
  const known = places.filter(({ path }) => path !== "");
  const words = places.flatMap(({ path, words: positions }) =>
    positions.map((offered, position) => arm(`${path}/${position}`, `words=${texts(offered)}`)),
  );
  const names = places.flatMap(({ path, names: sorts }) =>
    sorts.flatMap((sort, position) =>
      sort ? [arm(`${path}/${position}`, `words=$(_forager_names ${sort})`)] : [],
    ),
  );
  const flags = places
    .filter((place) => place.flags.length > 0)
    .map(({ path, flags: offered }) => arm(path, `flags+=${texts(offered)}`));
  const values = [
    ...places.flatMap(({ path, values: own }) =>
      own.map((value) => arm(`${path} ${value.flag}`, offer(value))),
    ),
    ...globalValues.map((value) => `*${arm(` ${value.flag}`, offer(value))}`),
  ];

  return `# bash completion for forager, made by: forager completion bash
_forager_names() {
  forager names "$1" --quiet "\${settings[@]}" 2>/dev/null
}
_forager() {
  local IFS=$' \\t\\n' current="\${COMP_WORDS[COMP_CWORD]}" at="" given=0 flag="" word index
  local -a settings=()
  # Bash splits --flag=value in three words.
  [[ $current == "=" ]] && current=""
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ $word == "=" ]] && continue
    if [[ -n $flag ]]; then
      case "$flag" in ${placeFlags.join(" | ")}) settings+=("$flag" "$word") ;; esac
      flag=""
      continue
    fi
    case "$word" in
      ${valueFlags.join(" | ")}) flag="$word" ;;
      -*) ;;
      *)
        case "\${at:+$at }$word" in
          ${known.map(({ path }) => quote(path)).join(" | ")}) at="\${at:+$at }$word" ;;
          *) given=$((given + 1)) ;;
        esac
        ;;
    esac
  done

  local words="" flags=${texts(globalFlags)}" "
  if [[ -n $flag ]]; then
    IFS=$'\\n'
    case "$at $flag" in
${indent(values, 6)}
    esac
    return
  fi
  case "$at/$given" in
${indent(words, 4)}
  esac
  if [[ $current != -* ]]; then
    case "$at/$given" in
${indent(names, 6)}
    esac
  fi
  case "$at" in
${indent(flags, 4)}
  esac
  if [[ $current == -* || -z $words ]]; then words="$flags"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _forager forager
`;
}

const arm = (pattern: string, action: string) => `${quote(pattern)}) ${action} ;;`;
const texts = (words: readonly Word[]) => quote(words.map(({ text }) => text).join(" "));

function offer({ offer: offered }: FlagValues): string {
  if (offered === "file" || offered === "directory") {
    const kind = offered === "file" ? "-f" : "-d";
    // bash 3 has no `compopt`; there, spaces in names are not escaped.
    return `COMPREPLY=($(compgen ${kind} -- "$current")); compopt -o filenames 2>/dev/null`;
  }
  if (isNameSort(offered)) {
    return `COMPREPLY=($(compgen -W "$(_forager_names ${offered})" -- "$current"))`;
  }
  return `COMPREPLY=($(compgen -W ${quote(offered.join("\n"))} -- "$current"))`;
}
