import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { qualifiers, taskStates, waitingReasonNames, type Qualifier } from "../data/task-query.ts";
import { Icon } from "../parts/icon.tsx";
import { Text } from "../parts/text.tsx";
import { reasonText } from "../parts/waiting-reasons.ts";

const typingMs = 350;
const shownMax = 8;

interface Suggestion {
  /** The text that replaces the last word. */
  readonly text: string;
  readonly hint: string;
}

/** The task filter as text, with suggestions for its last word. It is stored in the address. */
export function TaskFilterBox({ kinds }: { readonly kinds: readonly string[] }) {
  const asked = place.value.query.get("q") ?? "";
  const text = useSignal(asked);
  const isOpen = useSignal(false);
  const chosen = useSignal(-1);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const applied = useRef(asked);
  useEffect(() => {
    // Back, forward and links change the filter too.
    if (applied.current !== asked) text.value = asked;
    applied.current = asked;
  }, [asked]);
  const suggestions = useSuggestions(text.value, kinds, isOpen.value);
  const apply = (next: string) => {
    clearTimeout(timer.current);
    applied.current = next;
    navigate(withQuery({ q: next.trim() || undefined, open: undefined, after: undefined }), {
      isReplaced: true,
    });
  };
  const change = (next: string) => {
    text.value = next;
    chosen.value = -1;
    isOpen.value = true;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(next), typingMs);
  };
  const take = ({ text: word }: Suggestion) => {
    const isName = word.endsWith(":");
    change(`${text.value.replace(/\S*$/, "")}${word}${isName ? "" : " "}`);
  };
  const onKey = (event: KeyboardEvent) => {
    const index = chosen.value;
    if (event.key === "ArrowDown") {
      isOpen.value = true;
      chosen.value = Math.min(index + 1, suggestions.length - 1);
    } else if (event.key === "ArrowUp") chosen.value = Math.max(index - 1, -1);
    else if (event.key === "Escape" && isOpen.value) isOpen.value = false;
    else if (event.key === "Enter" && isOpen.value && suggestions[index]) take(suggestions[index]);
    else if (event.key === "Enter") {
      isOpen.value = false;
      apply(text.value);
    } else return;
    event.preventDefault();
  };
  const isShown = isOpen.value && suggestions.length > 0;
  return (
    <div class="searchbox">
      <Icon name="filter" />
      <input
        data-search
        aria-label="Filter tasks"
        placeholder="state:failed kind:enrich reason:domain_delay, or text"
        autoComplete="off"
        spellcheck={false}
        role="combobox"
        aria-expanded={isShown}
        aria-controls="task-suggestions"
        aria-autocomplete="list"
        aria-activedescendant={
          isShown && chosen.value >= 0 ? `suggestion-${chosen.value}` : undefined
        }
        value={text.value}
        onInput={(event) => change(event.currentTarget.value)}
        onFocus={() => (isOpen.value = true)}
        onBlur={() => (isOpen.value = false)}
        onKeyDown={onKey}
      />
      <ul
        id="task-suggestions"
        role="listbox"
        aria-label="Suggestions"
        class="suggestions"
        hidden={!isShown}
      >
        {suggestions.map((suggestion, at) => (
          <li
            key={suggestion.text}
            id={`suggestion-${at}`}
            role="option"
            aria-selected={at === chosen.value}
            // On pointer down, before the input loses the focus.
            onPointerDown={(event) => {
              event.preventDefault();
              take(suggestion);
            }}
          >
            <code>
              <Text value={suggestion.text} max={80} />
            </code>
            <small class="dim">{suggestion.hint}</small>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Suggestions for the last word. Names of jobs and hosts are fetched while the user types. */
function useSuggestions(
  text: string,
  kinds: readonly string[],
  isOpen: boolean,
): readonly Suggestion[] {
  const word = /\S*$/.exec(text)![0];
  const [, name, begin = ""] = /^([a-z]+):"?(.*)$/.exec(word) ?? [];
  const isAsked = isOpen && (name === "job" || name === "gate");
  const names = useResource(
    `${name} ${begin}`,
    async (signal) => {
      // Names are sorted, so names with this prefix come directly after it.
      const query = { limit: shownMax, ...(begin !== "" && { after: begin.slice(0, -1) || "!" }) };
      const { rows } = await (name === "job"
        ? api.get("/api/queue/jobs", { query, signal })
        : api.get("/api/queue/gates", { query, signal }));
      return rows.map((row) => row.name);
    },
    { isIdle: !isAsked },
  );
  const of = (values: readonly string[], hint: (value: string) => string = () => ""): readonly Suggestion[] =>
    values
      .filter((value) => value.startsWith(begin) && value !== begin)
      .slice(0, shownMax)
      .map((value) => ({ text: `${name}:${/\s/.test(value) ? `"${value}"` : value}`, hint: hint(value) })); // prettier-ignore
  switch (name) {
    case "state":
      return of(taskStates);
    case "reason":
      return of(waitingReasonNames, (value) => reasonText(value).meaning);
    case "kind":
      return of(kinds);
    case "job":
    case "gate":
      return of(names.data ?? []);
    case undefined:
      return (Object.keys(qualifiers) as Qualifier[])
        .filter((one) => one.startsWith(word))
        .map((one) => ({ text: `${one}:`, hint: qualifiers[one] }));
    default:
      return [];
  }
}
