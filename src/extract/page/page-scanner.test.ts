import fc from "fast-check";
import { Tokenizer } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { attributeKind } from "./attribute-flags.ts";
import { kindOf } from "./element-names.ts";
import { scanPage } from "./page-scanner.ts";

/** A text, or a tag: those that end something are called "/a". */
type Token = string | readonly [name: string, attributes?: object, isSelfClosed?: boolean];

describe("tags and texts are distinguished as htmlparser2 does:", () => {
  const space = fc.constantFrom("", " ", "\n\t", "  ");
  const word = fc.constantFrom(
    "a",
    "at",
    "Info",
    "büro",
    "株式",
    "x y",
    "😀",
    "\u0000",
    "&",
    ";",
    "=",
  );
  const reference = fc.constantFrom(
    ..."&amp; &#64; &#x40 &AMP &notit; &nbsp;x &copy=1 &copy1 &#xD800; &#0; &unknown; &NotEqualTilde; &".split(
      " ",
    ),
  );
  const text = fc
    .array(fc.oneof(word, reference, space, fc.constantFrom("<", ">", "-", '"', "'", "/")), {
      maxLength: 6,
    })
    .map((parts) => parts.join(""));
  const name = fc.constantFrom(
    ..."a A div p b IMG br svg title Script style textarea iframe xmp noembed noframes x-y script:x li s".split(
      " ",
    ),
  );
  const attributeName = fc.constantFrom(
    ...'href HREF class id title data-mail style =x x"y hidden'.split(" "),
  );
  const value = fc.oneof(
    fc.tuple(fc.constantFrom('"', "'"), text).map(([quote, inner]) => {
      return quote + inner.replaceAll(quote, "") + quote;
    }),
    text.map((inner) => inner.replaceAll(/^["']/g, "")),
  );
  const attribute = fc
    .tuple(attributeName, space, fc.option(fc.tuple(space, value)))
    .map(([key, gap, assigned]) => ` ${key}${gap}${assigned ? `=${assigned.join("")}` : ""}`);
  const tag = fc
    .tuple(fc.constantFrom("<", "</"), name, fc.array(attribute, { maxLength: 4 }), space)
    .chain(([begin, called, attributes, gap]) =>
      fc.constantFrom(">", "/>", "/ >", "//>", "/").map((end) => {
        return begin + called + attributes.join("") + gap + end;
      }),
    );
  const oddity = fc.constantFrom(
    ..."<!--x--> <!----> <!--> <!---> <!--a--!> <!--a-- b-> <!---!> <!doctype_html> <!DOCTYP> <!> <!-x> <![CDATA[a]]> <![CDATA[a]>b]]> <![cdata[a]]> <?php_x_?> </> </_x> </3> <3 <_ << </".split(
      " ",
    ),
  );
  const page = fc
    .array(fc.oneof(text, tag, oddity), { maxLength: 12 })
    .map((parts) => parts.join("") + everythingEnds)
    // That tokenizer leaves a reference as it is where it had hoped for an end tag.
    .filter((html) => !/<\/?\w{0,12}&/.test(html) && !/<\/[^\s/>]{80}/.test(html));

  test("any page", () => {
    fc.assert(
      fc.property(page, (html) => {
        expect(scanned(html)).toEqual(tokenized(html));
      }),
      { numRuns: 3_000 },
    );
  });

  test("any signs", () => {
    const signs = fc.string({
      unit: fc.constantFrom(
        ..."< > / ! - = \" ' & ; # a b [ ] ? </ <script> </script>".split(" "),
        " ",
        "<a ",
      ),
      maxLength: 40,
    });
    fc.assert(
      fc.property(
        signs.map((html) => html + everythingEnds).filter((html) => !/<\/?\w{0,12}&/.test(html)),
        (html) => {
          expect(scanned(html)).toEqual(tokenized(html));
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe("a page that ends in the middle:", () => {
  test.each<readonly [string, readonly Token[]]>([
    ["a<", ["a<"]],
    ["a</", ["a</"]],
    ["a<b", ["a"]],
    ["a<script", ["a"]],
    ['a<b c="d', ["a"]],
    ["a<b c", ["a"]],
    ["a</b", ["a"]],
    ["a</b x", ["a", ["/b"]]],
    ["a<!-- b --", ["a"]],
    ["a<![CDATA[ b ]]", ["a"]],
    ["<title>a &amp; b", [["title", {}, false], "a & b"]],
    ["<script>a < b</scrip", [["script", {}, false], "a < b</scrip"]],
    ["<plaintext>a<b>&amp;</plaintext>", [["plaintext", {}, false], "a<b>&amp;</plaintext>"]],
  ])("%s", (html, tokens) => {
    expect(scanned(html)).toEqual(tokens);
  });
});

const everythingEnds = `"'>-->]]></script></style></title></textarea></iframe></xmp></noembed></noframes>.`;

function scanned(html: string): readonly Token[] {
  const tokens: Token[] = [];
  let drawings = 0;
  scanPage(html, {
    open: ({ kind, attributes, isSelfClosed }) => {
      if (kind.isDrawing) drawings += 1;
      tokens.push([kind.name, attributes, isSelfClosed]);
    },
    close: ({ name, isDrawing }) => {
      if (isDrawing) drawings -= 1;
      tokens.push([`/${name}`]);
    },
    text: (part) => void tokens.push(part),
    raw: (part) => void tokens.push(part),
    isInDrawing: () => drawings > 0,
    asksForNames: () => true,
  });
  return joined(tokens);
}

function tokenized(html: string): readonly Token[] {
  const tokens: Token[] = [];
  let drawings = 0;
  let opened = "";
  let attributes: Record<string, string> = {};
  let attribute = "";
  let value = "";
  const open = (isSelfClosed: boolean) => {
    if (kindOf(opened).isDrawing) drawings += 1;
    // Longer ones are not names.
    if (opened.length <= 40) tokens.push([opened, attributes, isSelfClosed]);
  };
  const nothing = () => {};
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(start, end) {
        opened = html.slice(start, end).toLowerCase();
        attributes = {};
      },
      onattribname(start, end) {
        attribute = attributeKind(html.slice(start, end)).name;
        value = "";
      },
      onattribdata: (start, end) => void (value += html.slice(start, end)),
      onattribentity: (codepoint) => void (value += String.fromCodePoint(codepoint)),
      onattribend() {
        if (attribute !== "") attributes[attribute] ??= value;
      },
      onopentagend: () => open(false),
      onselfclosingtag: () => open(true),
      onclosetag(start, end) {
        const name = html.slice(start, end).toLowerCase();
        if (kindOf(name).isDrawing) drawings -= 1;
        tokens.push([`/${name}`]);
      },
      ontext: (start, end) => void tokens.push(html.slice(start, end)),
      ontextentity: (codepoint) => void tokens.push(String.fromCodePoint(codepoint)),
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
      isInForeignContext: () => drawings > 0,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return joined(tokens);
}

/** Texts that follow each other as one; space alone comes as a single one. */
function joined(tokens: readonly Token[]): readonly Token[] {
  const all: Token[] = [];
  for (const token of tokens) {
    const last = all.at(-1);
    if (typeof token === "string" && typeof last === "string") all.splice(-1, 1, last + token);
    else all.push(token);
  }
  return all.map((one) => (typeof one === "string" ? one.replace(/[ \n\t\r\f]+/g, " ") : one));
}
