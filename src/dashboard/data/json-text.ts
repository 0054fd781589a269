/**
 * JSON with indentation, without reading it as values: numbers stay as they are written, however
 * large they are.
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
