import { useEffect, useRef } from "preact/hooks";
import { navigate, place, withQuery } from "../data/router.ts";
import { Icon } from "./icon.tsx";

interface SearchBoxProps {
  /** For screen readers. */
  readonly label: string;
  readonly placeholder: string;
  /** Name of the parameter in the address. */
  readonly parameter?: string;
  /** Other parameters that a new search removes. */
  readonly resets?: readonly string[];
}

const typingMs = 150;

/** Searches while the user types. The words are stored in the address without a history entry for each letter. */
export function SearchBox(props: SearchBoxProps) {
  const { label, placeholder, parameter = "words", resets = [] } = props;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  const words = place.value.query.get(parameter) ?? "";
  const typed = useRef(words);
  useEffect(() => {
    // Back and forward change the words too. Text that the user is still typing stays.
    if (input.current && typed.current !== words) input.current.value = words;
    typed.current = words;
  }, [words]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <label class="searchbox">
      <Icon name="search" />
      <span class="for-readers">{label}</span>
      <input
        ref={input}
        type="search"
        placeholder={placeholder}
        defaultValue={words}
        onInput={(event) => {
          clearTimeout(timer.current);
          const text = event.currentTarget.value.trim();
          timer.current = setTimeout(() => {
            typed.current = text;
            const reset = Object.fromEntries(resets.map((key) => [key, undefined]));
            navigate(withQuery({ ...reset, [parameter]: text || undefined }), { isReplaced: true });
          }, typingMs);
        }}
      />
    </label>
  );
}
