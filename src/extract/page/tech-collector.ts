import type { Collector } from "./page-events.ts";

export interface TechCollector extends Collector {
  finish(generator: string | undefined): readonly string[];
}

/** Addresses of scripts, styles and images that show what a site is made with. */
const signs: readonly (readonly [string, RegExp])[] = [
  ["WordPress", /\/wp-(?:content|includes)\//],
  ["WooCommerce", /\/plugins\/woocommerce\//],
  ["Elementor", /\/plugins\/elementor/],
  ["Shopify", /cdn\.shopify\.com|myshopify\.com/],
  ["Wix", /static\.wixstatic\.com|parastorage\.com/],
  ["Squarespace", /squarespace(?:-cdn)?\.com/],
  ["Webflow", /webflow\.(?:com|io)|website-files\.com/],
  ["Jimdo", /jimdo(?:static|free)?\.(?:com|net)/],
  ["Weebly", /weebly\.com|editmysite\.com/],
  ["TYPO3", /\/typo3(?:conf|temp)\//],
  ["Joomla", /\/media\/(?:jui|system)\/js\/|\/components\/com_/],
  ["Drupal", /\/sites\/(?:default|all)\/|\/core\/misc\/drupal/],
  ["Magento", /\/static\/(?:version\d+\/)?frontend\/|mage\/cookies/],
  ["PrestaShop", /\/modules\/ps_|prestashop/],
  ["Shopware", /\/bundles\/storefront|shopware/],
  ["Next.js", /\/_next\/static\//],
  ["Nuxt", /\/_nuxt\//],
  ["Gatsby", /\/page-data\/|gatsby-/],
  ["Angular", /\/(?:polyfills|runtime)[.-][\w.]{0,40}js|angular(?:\.min)?\.js/],
  ["React", /react(?:-dom)?(?:\.production)?(?:\.min)?\.js/],
  ["Vue.js", /vue(?:\.runtime)?(?:\.global)?(?:\.prod)?(?:\.min)?\.js/],
  ["jQuery", /jquery[\w.-]{0,30}\.js/],
  ["Bootstrap", /bootstrap[\w.-]{0,30}\.(?:js|css)/],
  ["Font Awesome", /font-?awesome|use\.fontawesome\.com/],
  ["Google Fonts", /fonts\.(?:googleapis|gstatic)\.com/],
  ["Google Analytics", /google-analytics\.com|gtag\/js/],
  ["Google Tag Manager", /googletagmanager\.com\/gtm/],
  ["Google Maps", /maps\.google(?:apis)?\.com|google\.[a-z.]{2,6}\/maps/],
  ["Google reCAPTCHA", /recaptcha/],
  ["Meta Pixel", /connect\.facebook\.net/],
  ["Matomo", /matomo(?:\.min)?\.js|piwik\.js/],
  ["Hotjar", /static\.hotjar\.com/],
  ["HubSpot", /js\.hs-scripts\.com|hsforms\.net/],
  ["Intercom", /widget\.intercom\.io/],
  ["Zendesk", /static\.zdassets\.com/],
  ["Mailchimp", /chimpstatic\.com|list-manage\.com/],
  ["Stripe", /js\.stripe\.com/],
  ["PayPal", /paypal\.com\/sdk|paypalobjects\.com/],
  ["Cloudflare", /cdnjs\.cloudflare\.com|\/cdn-cgi\//],
  ["Cookiebot", /consent\.cookiebot\.com/],
  ["Usercentrics", /usercentrics\.eu/],
  ["Calendly", /assets\.calendly\.com/],
];
const anySign = new RegExp(signs.map(([, { source }]) => source).join("|"));
const generators =
  /^(WordPress|Joomla|Drupal|TYPO3|Wix|Shopify|Squarespace|Webflow|PrestaShop|Hugo|Jekyll|Ghost|Gatsby|Contao|Concrete|Weebly|Jimdo|Blogger|MediaWiki|Nuxt|Astro|Elementor|WooCommerce|Odoo)/i;

export function createTechCollector(): TechCollector {
  const found = new Set<string>();
  let checked = 0;
  let pictures = 0;

  return {
    interest: { elements: "script link iframe img" },
    open({ name, attributes }) {
      const isPicture = name === "img";
      const address = attributes["src"] ?? attributes["href"];
      if (address === undefined || address.startsWith("data:")) return;
      // A few images are enough.
      if (isPicture ? ++pictures > 15 : ++checked > 150) return;
      const part = address.slice(0, 300).toLowerCase();
      if (!anySign.test(part)) return;
      for (const [tech, sign] of signs) if (!found.has(tech) && sign.test(part)) found.add(tech);
    },
    finish(generator) {
      const made = generators.exec(generator ?? "")?.[1];
      if (made)
        found.add(
          signs.map(([name]) => name).find((name) => name.toLowerCase() === made.toLowerCase()) ??
            made,
        );
      return [...found].sort();
    },
  };
}
