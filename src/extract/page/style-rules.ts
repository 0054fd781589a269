/**
 * The effects of a page's own styles that hide or reverse text. Only inline styles and simple class
 * and id rules of its <style> elements are used.
 */
export interface StyleRules {
  /** Adds the text of a <style> element. */
  add(css: string): void;
  /** Whether any rule depends on class or id. */
  hasRules(): boolean;
  effectOf(tag: string, attributes: Readonly<Record<string, string>>): StyleEffect;
}

export interface StyleEffect {
  readonly isHidden: boolean;
  readonly isReversed: boolean;
}

export const noEffect: StyleEffect = { isHidden: false, isReversed: false };
const cssCharsMax = 200_000;
const rulesMax = 2_000;

const hiding =
  /(?:^|[;{\s])(?:display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}hidden|font-size\s{0,5}:\s{0,5}0(?![.\d])|opacity\s{0,5}:\s{0,5}0(?![.\d])|(?:left|top|text-indent)\s{0,5}:\s{0,5}-\d{4,6}(?:px|em|rem))/i;
const bidi = /unicode-bidi\s{0,5}:\s{0,5}(?:bidi-override|isolate-override)/i;
const rightToLeft = /direction\s{0,5}:\s{0,5}rtl/i;
/** Hidden only until a visitor clicks: such content is meant to be read. */
const shownOnDemand =
  /tab|panel|pane|accordion|collaps|menu|nav|modal|popup|drop|slide|toggle|content|lightbox|dialog|more|faq|answer|detail|mobile|desktop/i;

export function createStyleRules(): StyleRules {
  const hidden = new Set<string>();
  const reversed = new Set<string>();

  function add(css: string): void {
    let count = 0;
    // Rules inside @media and similar blocks apply only sometimes: the nested brace excludes them.
    for (const [, selectors, body] of css
      .slice(0, cssCharsMax)
      .matchAll(
        /(?:^|[}\s;,/])([a-z]{0,10}[.#][\w-]{1,80}(?:\s{0,5},\s{0,5}[a-z]{0,10}[.#][\w-]{1,80}){0,20})\s{0,5}\{([^{}]{0,1000})\}/g,
      )) {
      if (++count > rulesMax) return;
      const hides = hiding.test(body!);
      const turns = bidi.test(body!) && rightToLeft.test(body!);
      if (!hides && !turns) continue;
      for (const selector of selectors!.split(",")) {
        const name = selector.trim();
        if (turns) reversed.add(name);
        else if (!shownOnDemand.test(name)) hidden.add(name);
      }
    }
  }

  function effectOf(tag: string, attributes: Readonly<Record<string, string>>): StyleEffect {
    const { style, class: classes, id } = attributes;
    let isHidden = attributes["hidden"] !== undefined && attributes["hidden"] !== "until-found";
    let isReversed = false;
    if (style !== undefined) {
      const css = style.length > 2_000 ? style.slice(0, 2_000) : style;
      isHidden ||= hiding.test(css);
      isReversed = bidi.test(css) && rightToLeft.test(css);
    }
    if (hidden.size > 0 || reversed.size > 0) {
      for (const name of namesOf(classes, id)) {
        if (hidden.has(name) || hidden.has(tag + name)) isHidden = true;
        if (reversed.has(name) || reversed.has(tag + name)) isReversed = true;
      }
    }
    return isHidden || isReversed ? { isHidden, isReversed } : noEffect;
  }

  return { add, effectOf, hasRules: () => hidden.size > 0 || reversed.size > 0 };
}

function namesOf(classes: string | undefined, id: string | undefined): readonly string[] {
  const names = classes
    ? classes
        .slice(0, 1_000)
        .split(/\s+/)
        .map((name) => `.${name}`)
    : [];
  return id ? [...names, `#${id}`] : names;
}
