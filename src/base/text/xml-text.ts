/** Characters that XML 1.0 cannot represent: control characters, surrogates, U+FFFE and U+FFFF. */
// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Escapes text for an element or a quoted attribute. */
export const xmlText = (text: string): string =>
  text
    .replaceAll(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll(forbidden, "\ufffd")
    .replaceAll(/[&<>"]/g, (char: string) => entities[char]!);
