/**
 * Data from the web is hostile. Preact shows text as text; this adds what text alone can do: names of a megabyte,
 * characters that reverse the direction of what follows, and links that run code.
 */
const shownMax = 300;

/** Control characters except tab and line feed, invisible ones, and those that change the direction of text. */
const unwanted = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

export function shownText(text: string, max = shownMax): string {
  const cut = text.length > max ? text.slice(0, max) : text;
  const clean = cut.replaceAll(unwanted, (char) =>
    char === "\n" || char === "\t" ? char : "\ufffd",
  );
  return text.length > max ? `${clean}… (${text.length.toLocaleString("en")} characters)` : clean;
}

/** Only links that open a page, a mail or a call. Anything else is shown without a link. */
export function safeHref(address: string): string | undefined {
  if (address.length > 2_000) return undefined;
  try {
    const { protocol, href } = new URL(address);
    return ["http:", "https:", "mailto:", "tel:"].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

/** A website as data has it: with or without a scheme. */
export function websiteHref(website: string): string | undefined {
  return safeHref(/^[a-z][a-z0-9+.-]*:/i.test(website) ? website : `https://${website}`);
}

/** Any value as text. Text stays as it is, the rest is JSON. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
