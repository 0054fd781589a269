/**
 * Data from the web is hostile. Preact escapes markup; this handles what plain text can do: names
 * of a megabyte, characters that reverse the text direction, and links that run code.
 */
const shownMax = 300;

/**
 * Control characters except tab and line feed, invisible characters, and those that change the text
 * direction.
 */
const unwanted = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

export function shownText(text: string, max = shownMax): string {
  const cut = text.length > max ? text.slice(0, max) : text;
  const clean = cut.replaceAll(unwanted, (char) =>
    char === "\n" || char === "\t" ? char : "\ufffd",
  );
  return text.length > max ? `${clean}… (${text.length.toLocaleString("en")} characters)` : clean;
}

/**
 * Allows only links that open a page, a mail or a call. Undefined for others, which are shown as
 * text.
 */
export function safeHref(address: string): string | undefined {
  if (address.length > 2_000) return undefined;
  try {
    const { protocol, href } = new URL(address);
    return ["http:", "https:", "mailto:", "tel:"].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

/** The link for a website that is stored with or without a scheme. */
export function websiteHref(website: string): string | undefined {
  return safeHref(/^[a-z][a-z0-9+.-]*:/i.test(website) ? website : `https://${website}`);
}

/** Any value as text. Text is not changed, everything else is JSON. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
