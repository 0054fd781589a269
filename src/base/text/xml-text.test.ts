import { expect, test } from "vitest";
import { xmlText } from "./xml-text.ts";

test("markup and what XML cannot hold are replaced, all else stays", () => {
  expect(xmlText(`<b a="1">Müller & Söhne</b>\n\t😀`)).toBe(
    "&lt;b a=&quot;1&quot;&gt;Müller &amp; Söhne&lt;/b&gt;\n\t😀",
  );
  expect(xmlText("a\u0000b\u001bc\ud800d\uffffe")).toBe("a\ufffdb\ufffdc\ufffdd\ufffde");
});
