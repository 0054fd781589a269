/** A fenced block of a Markdown page. `line` is that of the opening fence, counted from 1. */
export interface FencedBlock {
  readonly language: string;
  /** The words after the language: in "```sh no-run" it is ["no-run"]. */
  readonly tags: readonly string[];
  readonly body: string;
  readonly line: number;
  /** The HTML comment on the line above the fence, where a block says why it is not checked. */
  readonly reason: string | undefined;
}

export interface CommandRun {
  readonly script: string;
  /** Lines that must be part of what it prints on stdout, in this order. */
  readonly expected: readonly string[];
  readonly line: number;
}

const fence = /^\s*(`{3,})\s*(\S*)\s*(.*)$/;

/** Spellings of the checked languages that would slip past the checks. */
const synonyms: Readonly<Record<string, string>> = {
  bash: "sh",
  shell: "sh",
  zsh: "sh",
  typescript: "ts",
  tsx: "ts",
  javascript: "js",
  mjs: "js",
};

export function fencedBlocks(markdown: string): readonly FencedBlock[] {
  const lines = markdown.split("\n");
  const blocks: FencedBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, ticks, language, tags] = fence.exec(lines[at] ?? "") ?? [];
    if (!ticks) continue;
    const start = at;
    do at += 1;
    while (at < lines.length && lines[at]?.trim() !== ticks);
    blocks.push({
      language: language ?? "",
      tags: (tags ?? "").split(/\s+/).filter(Boolean),
      body: lines.slice(start + 1, at).join("\n"),
      line: start + 1,
      reason: /^\s*<!--\s*(.+?)\s*-->\s*$/.exec(lines[start - 1] ?? "")?.[1],
    });
  }
  return blocks;
}

/** What is wrong with how these blocks are labelled: each entry is "line: what to do". */
export function labelViolations(blocks: readonly FencedBlock[]): readonly string[] {
  return blocks.flatMap(({ language, tags, line, reason }) => {
    const wanted = synonyms[language];
    if (wanted) return [`${line}: a block of ${language} is checked only when labelled ${wanted}`];
    if (language === "") return [`${line}: the block has no language (text, if it is none)`];
    const isUnchecked = tags.includes("no-run") || tags.includes("no-check");
    if (isUnchecked && !reason) return [`${line}: say why it is not checked in a comment above`];
    return [];
  });
}

/**
 * The commands of a page, in order. An `sh` block is a script, and a `text output` block after it
 * says what it prints; in a `console` block the lines that start with `$ ` are the script and the
 * others what it prints.
 */
export function commandRuns(blocks: readonly FencedBlock[]): readonly CommandRun[] {
  return blocks.flatMap((block, index) => {
    const { language, tags, body, line } = block;
    if (tags.includes("no-run")) return [];
    if (language === "console") {
      const lines = body.split("\n");
      const script = lines.filter((text) => text.startsWith("$ ")).map((text) => text.slice(2));
      const expected = lines.filter((text) => !text.startsWith("$ ") && text.trim() !== "");
      return [{ script: script.join("\n"), expected, line }];
    }
    if (language !== "sh") return [];
    const next = blocks[index + 1];
    const isOutput = next?.language === "text" && next.tags.includes("output");
    const expected = isOutput ? next.body.split("\n").filter((text) => text.trim() !== "") : [];
    return [{ script: body, expected, line }];
  });
}

/** A file that a script writes with `cat > NAME <<'END'`. */
export interface Heredoc {
  readonly name: string;
  readonly text: string;
}

export function heredocs(script: string): readonly Heredoc[] {
  const form = /^cat > (\S+) <<'(\w+)'\n([\s\S]*?\n)\2$/gm;
  return [...script.matchAll(form)].map(([, name = "", , text = ""]) => ({ name, text }));
}

/** The first expected line that does not come, after those before it, in what was printed. */
export function firstMissingLine(expected: readonly string[], printed: string): string | undefined {
  const lines = printed.split("\n");
  let at = 0;
  for (const wanted of expected) {
    while (at < lines.length && !lines[at]?.includes(wanted.trim())) at += 1;
    if (at === lines.length) return wanted;
    at += 1;
  }
  return undefined;
}

/** Where the links of a page lead, without the part after `#`; those to other sites are left out. */
export function localLinks(markdown: string): readonly string[] {
  return localTargets(markdown)
    .map(({ file }) => file)
    .filter((file) => file !== "");
}

/** The same with the part after `#`; a link within the page has an empty file. */
export function localTargets(
  markdown: string,
): readonly { readonly file: string; readonly anchor: string | undefined }[] {
  return [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .filter(([, target = ""]) => !/^[a-z]+:/.test(target))
    .map(([, target = ""]) => {
      const [file = "", anchor] = target.split("#");
      return { file, anchor };
    });
}

/** What can follow `#` in a link to this page: one for each heading, as GitHub makes them. */
export function headingAnchors(markdown: string): ReadonlySet<string> {
  const headings = [...proseOf(markdown).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
    text
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(headings);
}

const proseOf = (markdown: string): string =>
  markdown.replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, "");
