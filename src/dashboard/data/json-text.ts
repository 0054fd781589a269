/**
 * Indents JSON without parsing its values, so that large numbers are not changed.
 */
export function indentJson(json: string): string {
  let out = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [part] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const isOpen = part === "{" || part === "[";
    const isClose = part === "}" || part === "]";
    if (isClose) depth -= 1;
    if (isClose && !/[{[]$/.test(out)) out += line();
    if (!isClose && /[{[]$/.test(out)) out += line();
    if (isOpen) depth += 1;
    out += part === ":" ? ": " : part;
    if (part === ",") out += line();
  }
  return out;
}
