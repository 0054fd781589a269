/** Words that people insert into an address and expect readers to remove. */
const tokens =
  /[[({<_.-]{0,2}(?:remove[-_ ]?this|removethis|nospam|no[-_]spam|no-?spam-?please|spamfrei|antispam|anti-?spam|delete[-_ ]?this|deletethis|entfernen|bitte-?entfernen|sinspam|quitaresto|enlever|pasdespam|nospm|stopspam)[\])}>_.-]{0,2}/gi;

/** The text without these words, or undefined if there are none. */
export function withoutDecoys(text: string): string | undefined {
  if (!/spam|remove|delete|entfernen|quitar|enlever/i.test(text)) return undefined;
  const plain = text.replace(tokens, (token, at: number) => {
    // A dot on either side belongs to the address: "info@NOSPAM.company.com".
    const isInside = at > 0 && /[\w]$/.test(text.slice(0, at));
    return isInside && token.endsWith(".") && /^\w/.test(text.slice(at + token.length)) ? "." : "";
  });
  return plain === text ? undefined : plain;
}
