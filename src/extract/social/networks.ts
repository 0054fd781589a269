/** A profile on a social network, with the network's own address for it. */
export interface SocialProfile {
  readonly network: string;
  readonly url: string;
  readonly handle: string;
}

interface Network {
  readonly name: string;
  readonly hosts: RegExp;
  /**
   * First path segments that are not profiles: share dialogs, posts, pages of the network itself.
   */
  readonly reserved: ReadonlySet<string>;
  /** Returns the profile's path and its handle, from decoded path segments and the query. */
  read(segments: readonly string[], query: URLSearchParams, host: string): Found | undefined;
}

interface Found {
  readonly handle: string;
  readonly url: string;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const everywhere =
  "share sharer sharer.php intent dialog plugins login signin signup register home explore search about help support terms privacy legal policies policy settings hashtag tag tags i p tv reel reels stories status video videos watch photo photos events groups embed embed.js oauth api developers developer business ads careers jobs download app apps blog press ";

const handlePattern = /^@?[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,78}[\p{L}\p{N}_-])?$/u;
/** Accounts of site builders, templates and the networks themselves, which are part of themes. */
const nobodys = words(
  "wix wixcom squarespace shopify wordpress wordpressdotcom godaddy jimdo weebly webflow facebook facebookapp twitter x instagram youtube linkedin pinterest tiktok google yourpage yourprofile yourname your-page your-company yourcompany username user profile example page pages company name themeforest envato elegantthemes template_name handle account undefined null home index.php index.html",
);

/** One path segment that is the handle: facebook.com/name. */
const plain =
  (base: string, prefix = "") =>
  (segments: readonly string[]): Found | undefined => {
    const [first = "", ...rest] = segments;
    if (rest.length > 2 || !handlePattern.test(first)) return undefined;
    const handle = first.replace(/^@/, "");
    return { handle, url: `${base}${prefix}${handle}` };
  };

/** A kind of profile, then the handle: linkedin.com/company/name. */
const kinded =
  (base: string, kinds: ReadonlySet<string>) =>
  (segments: readonly string[]): Found | undefined => {
    const [kind = "", handle = ""] = segments;
    if (!kinds.has(kind.toLowerCase()) || !handlePattern.test(handle)) return undefined;
    return { handle, url: `${base}${kind.toLowerCase()}/${encodeURI(handle)}` };
  };

const facebook = plain("https://www.facebook.com/");
const youtubeKinds = kinded("https://www.youtube.com/", words("c channel user"));
const telegram = plain("https://t.me/");

const networks: readonly Network[] = [
  {
    name: "facebook",
    hosts:
      /^(?:[a-z]{1,3}(?:-[a-z]{2,4})?\.|www\.|business\.|mobile\.)?(?:facebook|fb)\.(?:com|me)$/,
    reserved: words(
      `${everywhere}tr 2008 l.php permalink.php story.php photo.php video.php media.php notes marketplace gaming messages hashtag policies.php legal ads_manager posts public sharer share.php r.php recover`,
    ),
    read(segments, query) {
      const [first = "", second = "", third = ""] = segments;
      const id = query.get("id");
      if (first === "profile.php") {
        return id && /^\d{5,20}$/.test(id)
          ? { handle: id, url: `https://www.facebook.com/profile.php?id=${id}` }
          : undefined;
      }
      if (first === "pages" || first === "people" || (first === "pg" && second)) {
        if (first === "pg") return facebook([second]);
        return /^\d{5,20}$/.test(third) && second
          ? {
              handle: third,
              url: `https://www.facebook.com/${first}/${encodeURI(second)}/${third}`,
            }
          : undefined;
      }
      // A post or a photo, not a profile.
      if (/^(?:posts|photos|videos|events|reviews?|permalink)$/.test(second) && third)
        return undefined;
      return facebook([first]);
    },
  },
  {
    name: "instagram",
    hosts: /^(?:www\.|m\.)?(?:instagram\.com|instagr\.am)$/,
    reserved: words(`${everywhere}accounts directory web`),
    read: plain("https://www.instagram.com/"),
  },
  {
    name: "x",
    hosts: /^(?:www\.|mobile\.|m\.)?(?:twitter|x)\.com$/,
    reserved: words(`${everywhere}compose messages notifications who_to_follow widgets tos logout`),
    read: (segments) =>
      segments[1] === "status" || segments[1] === "statuses"
        ? undefined
        : plain("https://x.com/")(segments),
  },
  {
    name: "linkedin",
    hosts: /^(?:[a-z]{2,3}\.|www\.)?linkedin\.com$/,
    reserved: words(`${everywhere}sharearticle feed pulse learning cws shareArticle`),
    read: kinded("https://www.linkedin.com/", words("company in school showcase")),
  },
  {
    name: "youtube",
    hosts: /^(?:www\.|m\.)?youtube\.com$/,
    reserved: words(
      `${everywhere}playlist results feed shorts v iframe_api t yt redirect premium kids`,
    ),
    read(segments) {
      const [first = ""] = segments;
      if (first.startsWith("@"))
        return handlePattern.test(first)
          ? { handle: first.slice(1), url: `https://www.youtube.com/${first}` }
          : undefined;
      return (
        youtubeKinds(segments) ??
        (segments.length === 1 ? plain("https://www.youtube.com/")(segments) : undefined)
      );
    },
  },
  {
    name: "tiktok",
    hosts: /^(?:www\.|m\.|vm\.)?tiktok\.com$/,
    reserved: words(everywhere),
    read: (segments) =>
      segments[0]?.startsWith("@") && segments.length === 1
        ? plain("https://www.tiktok.com/", "@")(segments)
        : undefined,
  },
  {
    name: "pinterest",
    hosts: /^(?:[a-z]{2}\.|www\.)?pinterest\.(?:com|[a-z]{2}|co\.uk|com\.mx)$/,
    reserved: words(`${everywhere}pin ideas board pinterest`),
    read: (segments) => plain("https://www.pinterest.com/")(segments.slice(0, 1)),
  },
  {
    name: "whatsapp",
    hosts: /^(?:wa\.me|(?:api|web|chat|www)\.whatsapp\.com|whatsapp\.com)$/,
    reserved: words("qr channel business"),
    read(segments, query, host) {
      const digits = (host === "wa.me" ? (segments[0] ?? "") : (query.get("phone") ?? "")).replace(
        /[^\d]/g,
        "",
      );
      return digits.length >= 7 && digits.length <= 15
        ? { handle: `+${digits}`, url: `https://wa.me/${digits}` }
        : undefined;
    },
  },
  {
    name: "telegram",
    hosts: /^(?:t\.me|telegram\.me|telegram\.dog)$/,
    reserved: words(`${everywhere}joinchat addstickers iv s c proxy`),
    read: (segments) => (segments.length === 1 ? telegram(segments) : undefined),
  },
  {
    name: "xing",
    hosts: /^(?:www\.)?xing\.(?:com|de)$/,
    reserved: words("spi app share"),
    read: kinded("https://www.xing.com/", words("pages profile companies company")),
  },
  {
    name: "threads",
    hosts: /^(?:www\.)?threads\.(?:net|com)$/,
    reserved: words(everywhere),
    read: (segments) =>
      segments[0]?.startsWith("@") && segments.length === 1
        ? plain("https://www.threads.net/", "@")(segments)
        : undefined,
  },
  {
    name: "bluesky",
    hosts: /^bsky\.app$/,
    reserved: words("intent search"),
    read: (segments) =>
      segments.length === 2 ? kinded("https://bsky.app/", words("profile"))(segments) : undefined,
  },
  {
    name: "vk",
    hosts: /^(?:www\.|m\.)?(?:vk\.com|vk\.ru|vkontakte\.ru)$/,
    reserved: words(`${everywhere}share.php widget_community.php wall feed im`),
    read: (segments) =>
      segments.length === 1 && !/^(?:wall|photo|video|topic)-?\d/.test(segments[0]!)
        ? plain("https://vk.com/")(segments)
        : undefined,
  },
];

/** The profile at an address, or undefined: share links, posts and dialogs are not profiles. */
export function profileOf(href: string): SocialProfile | undefined {
  if (href.length > 500 || isOwnPath(href) || !mayBe.test(href)) return undefined;
  let url: URL;
  try {
    url = new URL(href.startsWith("//") ? `https:${href}` : href.trim());
  } catch {
    return undefined;
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  const host = url.hostname.toLowerCase();
  const network = networks.find(({ hosts }) => hosts.test(host));
  if (!network) return undefined;
  const segments = url.pathname.split("/").filter(Boolean).slice(0, 6).map(decodedSegment);
  const first = (segments[0] ?? "").toLowerCase();
  if (network.reserved.has(first)) return undefined;
  const found = network.read(segments, url.searchParams, host);
  if (!found || nobodys.has(found.handle.toLowerCase())) return undefined;
  return { network: network.name, ...found };
}

/** "/page", but not "//host/page". */
const isOwnPath = (href: string): boolean => href.charCodeAt(0) === 47 && href.charCodeAt(1) !== 47;

const mayBe =
  /facebook|fb\.(?:com|me)|instagr|twitter|\/\/(?:www\.|mobile\.)?x\.com|linkedin|youtube|tiktok|pinterest|whatsapp|wa\.me|t\.me|telegram|xing|threads|bsky|vk\.(?:com|ru)|vkontakte/i;

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
