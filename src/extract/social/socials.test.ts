import { describe, expect, test } from "vitest";
import { extractFrom } from "../testing/extract-from.ts";
import { profileOf } from "./networks.ts";

describe("a profile's address becomes", () => {
  test.each([
    [
      "https://www.facebook.com/brandt.tischler/?ref=page_internal",
      "https://www.facebook.com/brandt.tischler",
    ],
    ["http://de-de.facebook.com/brandttischler", "https://www.facebook.com/brandttischler"],
    ["https://m.facebook.com/brandttischler/about", "https://www.facebook.com/brandttischler"],
    ["https://fb.com/brandttischler", "https://www.facebook.com/brandttischler"],
    [
      "https://www.facebook.com/profile.php?id=100063541234567&sk=about",
      "https://www.facebook.com/profile.php?id=100063541234567",
    ],
    [
      "https://www.facebook.com/pages/Brandt/114050161948682",
      "https://www.facebook.com/pages/Brandt/114050161948682",
    ],
    [
      "https://www.instagram.com/brandt_tischler/?hl=de",
      "https://www.instagram.com/brandt_tischler",
    ],
    ["https://twitter.com/brandt_t?lang=de", "https://x.com/brandt_t"],
    ["https://x.com/@brandt_t", "https://x.com/brandt_t"],
    [
      "//www.linkedin.com/company/brandt-tischlerei/about/",
      "https://www.linkedin.com/company/brandt-tischlerei",
    ],
    ["https://de.linkedin.com/in/anna-brandt-123", "https://www.linkedin.com/in/anna-brandt-123"],
    ["https://www.youtube.com/@brandttischler/videos", "https://www.youtube.com/@brandttischler"],
    [
      "https://youtube.com/channel/UCabcdefghijklmnopqrstuv",
      "https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv",
    ],
    ["https://www.youtube.com/c/BrandtTischler", "https://www.youtube.com/c/BrandtTischler"],
    ["https://www.tiktok.com/@brandt", "https://www.tiktok.com/@brandt"],
    ["https://www.pinterest.de/brandt/holz/", "https://www.pinterest.com/brandt"],
    ["https://wa.me/4989123456?text=Hallo", "https://wa.me/4989123456"],
    ["https://api.whatsapp.com/send?phone=%2B4989123456", "https://wa.me/4989123456"],
    ["https://t.me/brandt", "https://t.me/brandt"],
    ["https://www.xing.com/pages/brandt", "https://www.xing.com/pages/brandt"],
    ["https://www.threads.net/@brandt", "https://www.threads.net/@brandt"],
    ["https://bsky.app/profile/brandt.bsky.social", "https://bsky.app/profile/brandt.bsky.social"],
    ["https://vk.com/brandt", "https://vk.com/brandt"],
  ])("%s → %s", (href, url) => expect(profileOf(href)?.url).toBe(url));
});

describe("no profile is", () => {
  test.each([
    "https://www.facebook.com/sharer/sharer.php?u=https://x.de",
    "https://www.facebook.com/sharer.php?u=x",
    "https://www.facebook.com/share.php?u=x",
    "https://www.facebook.com/dialog/feed?app_id=1",
    "https://www.facebook.com/plugins/like.php",
    "https://www.facebook.com/tr?id=1",
    "https://www.facebook.com/brandt/posts/123456",
    "https://www.facebook.com/",
    "https://www.facebook.com/groups/123",
    "https://www.facebook.com/wix",
    "https://twitter.com/intent/tweet?text=x",
    "https://twitter.com/share?url=x",
    "https://twitter.com/brandt/status/123",
    "https://twitter.com/hashtag/holz",
    "https://twitter.com/search?q=x",
    "https://www.instagram.com/p/Cabc/",
    "https://www.instagram.com/explore/tags/holz/",
    "https://www.linkedin.com/shareArticle?mini=true",
    "https://www.linkedin.com/feed/",
    "https://www.linkedin.com/sharing/share-offsite/?url=x",
    "https://www.youtube.com/watch?v=abc",
    "https://www.youtube.com/embed/abc",
    "https://youtu.be/abc",
    "https://pinterest.com/pin/create/button/?url=x",
    "https://api.whatsapp.com/send?text=share",
    "https://wa.me/?text=share",
    "https://t.me/share/url?url=x",
    "https://vk.com/share.php?url=x",
    "https://myfacebook.com/brandt",
    "https://facebook.com.evil.de/brandt",
    "javascript:facebook.com/brandt",
    "https://facebook.com/%E0%A4%A",
  ])("%s", (href) => expect(profileOf(href)).toBeUndefined());
});

test("what the company says of itself comes first, each profile once", () => {
  const html = `<p><a href="https://x.com/somebody">x</a><a href="https://x.com/brandt">x</a></p>
    <footer><a href="https://twitter.com/Brandt">x</a><a href="https://www.facebook.com/brandt">f</a></footer>
    <div style="display:none"><a href="https://www.instagram.com/trap">x</a></div>
    <script type="application/ld+json">{"@type":"Organization","sameAs":["https://www.youtube.com/@brandt"]}</script>`;
  expect(extractFrom(html).socials.map(({ url, where }) => `${where} ${url}`)).toEqual([
    "structured https://www.youtube.com/@brandt",
    "footer https://x.com/brandt",
    "footer https://www.facebook.com/brandt",
    "body https://x.com/somebody",
  ]);
});
