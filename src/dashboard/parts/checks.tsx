interface ChecksProps<Item extends string> {
  readonly legend: string;
  readonly items: readonly Item[];
  readonly chosen: { value: ReadonlySet<Item> };
}

/** One checkbox for each item. */
export function Checks<Item extends string>({ legend, items, chosen }: ChecksProps<Item>) {
  const choose = (item: Item, isChosen: boolean) => {
    const next = new Set(chosen.value);
    if (isChosen) next.add(item);
    else next.delete(item);
    chosen.value = next;
  };
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {items.map((item) => (
        <label key={item} class="row choice">
          <input
            type="checkbox"
            checked={chosen.value.has(item)}
            onChange={(event) => choose(item, event.currentTarget.checked)}
          />
          {item}
        </label>
      ))}
    </fieldset>
  );
}
