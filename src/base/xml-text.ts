/** What XML 1.0 cannot hold in any form: control characters, surrogates, U+FFFE and U+FFFF. */
// oxlint-disable-next-line no-control-regex -- control characters are what it is for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Text as it may stand in an element or a quoted attribute. */
export const xmlText = (text: string): string =>
  text
    .replaceAll(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll(forbidden, "\ufffd")
    .replaceAll(/[&<>"]/g, (char: string) => entities[char]!);
