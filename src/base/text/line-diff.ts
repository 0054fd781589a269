/** One line of a comparison of two texts, by their longest common subsequence. */
export interface DiffLine {
  readonly kind: "same" | "add" | "del";
  readonly text: string;
}

const linesMax = 2_000;

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = before.split("\n").slice(0, linesMax);
  const b = after.split("\n").slice(0, linesMax);
  const width = b.length + 1;
  // lengths[i * width + j]: length of the longest common subsequence of a[i…] and b[j…].
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i]! });
      i += 1;
      j += 1;
    } else if (
      j >= b.length ||
      (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      // prettier-ignore
      lines.push({ kind: "del", text: a[i]! });
      i += 1;
    } else {
      lines.push({ kind: "add", text: b[j]! });
      j += 1;
    }
  }
  return lines;
}

/** The changed lines and some lines around them; `undefined` marks a gap. */
export function diffExcerpt(
  lines: readonly DiffLine[],
  around = 2,
): readonly (DiffLine | undefined)[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== "same"),
  );
  const shown: (DiffLine | undefined)[] = [];
  for (const [at, line] of lines.entries()) {
    if (isNear[at]) shown.push(line);
    else if (shown.length > 0 && shown.at(-1) !== undefined) shown.push(undefined);
  }
  return shown;
}
