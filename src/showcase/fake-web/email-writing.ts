import type { Random } from "../../base/random.ts";

/** The level of decoding that an address needs: see `deobfuscate` of the extraction. */
export type EmailLevel = "off" | "simple" | "all";

/** A way in which sites write addresses. */
export interface EmailForm {
  readonly level: EmailLevel;
  readonly write: (email: string) => string;
}

const parts = (email: string): readonly [string, string] => {
  const at = email.indexOf("@");
  return [email.slice(0, at), email.slice(at + 1)];
};
const entities = (text: string): string =>
  Array.from(text, (sign) => `&#${sign.charCodeAt(0)};`).join("");
const cloudflare = (text: string): string => {
  const key = 0x2f;
  return Buffer.from([key, ...Buffer.from(text).map((byte) => byte ^ key)]).toString("hex");
};

export const emailForms: readonly EmailForm[] = [
  { level: "off", write: (email) => `<a href="mailto:${email}">${email}</a>` },
  {
    level: "off",
    write: (email) => `<a href="mailto:${email.replace("@", "%40")}?subject=Hello">&#9993;</a>`,
  },
  { level: "off", write: (email) => `<b>${email}</b>` },
  {
    level: "off",
    write: (email) => `<a href="${entities(`mailto:${email}`)}">${entities(email)}</a>`,
  },
  { level: "simple", write: (email) => email.replace("@", " [at] ") },
  {
    level: "simple",
    write: (email) => email.replace("@", "(at)").replace(/\.(?=[^.]*$)/, " (dot) "),
  },
  { level: "simple", write: (email) => email.replace("@", "<span>@</span>") },
  {
    level: "simple",
    write: (email) => email.replace("@", `<span style="display:none">no.spam.</span>@`),
  },
  { level: "simple", write: (email) => email.replace("@", "&#8203;@&#173;") },
  {
    level: "all",
    write: (email) =>
      `<span class="__cf_email__" data-cfemail="${cloudflare(email)}">[email&#160;protected]</span>`,
  },
  {
    level: "all",
    write: (email) =>
      `<script>var n = "${parts(email)[0]}"; var d = "${parts(email)[1]}"; document.write("<a href='mailto:" + n + "@" + d + "'>" + n + "@" + d + "</a>");</script>`,
  },
  {
    level: "all",
    write: (email) =>
      `<script>document.write(atob("${Buffer.from(email).toString("base64")}"))</script>`,
  },
  {
    level: "all",
    write: (email) =>
      `<a data-user="${parts(email)[0]}" data-domain="${parts(email)[1]}" href="#">mail</a>`,
  },
  {
    level: "all",
    write: (email) =>
      `<span style="unicode-bidi:bidi-override;direction:rtl">${Array.from(email).reverse().join("")}</span>`,
  },
];

/** Text that looks like an address and is not one, or not the company's. */
export const fakeEmails: readonly string[] = [
  `<img src="/img/badge_22_8@2x.png" alt=""> <small>badge_22_8@2x.png</small>`,
  `<script>Sentry.init({ dsn: "https://9f8e7d6c5b4a39281706f5e4d3c2b1a0@o45049.ingest.sentry.io/4504" });</script>`,
  `<form><input type="email" placeholder="name@example.com"><p>user@example.com</p></form>`,
  `<div style="display:none"><a href="mailto:honeypot@bot-trap-region.com">write</a></div>`,
  `<p>Built with widget@2.14.3 and core@1.0.0.js</p>`,
  `<p>git@github.com:region/site.git</p>`,
  `<p>noreply@mailer-region.com</p>`,
  `<a href="mailto:?subject=Look&amp;body=https://share.region/x@y">share</a>`,
];

export const pick = <Item>(items: readonly Item[], random: Random): Item =>
  items[random.below(items.length)]!;
