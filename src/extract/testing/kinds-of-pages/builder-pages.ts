import { cloudflareHex } from "../extract-from.ts";
import type { KindOfPage } from "./kind-of-page.ts";

/** Output of site builders, shop systems and content management systems. */
export const builderPages: readonly KindOfPage[] = [
  {
    kind: "WordPress with Elementor, share buttons in the article",
    url: "https://www.haarwerk-linz.at/kontakt/",
    html: `<!DOCTYPE html><html lang="de-AT"><head><title>Kontakt - Haarwerk</title>
<link rel="stylesheet" href="/wp-content/plugins/elementor/assets/css/frontend.min.css?ver=3.18.3">
<script id="wp-emoji">window._wpemojiSettings={"baseUrl":"https:\\/\\/s.w.org\\/images\\/core\\/emoji\\/14.0.0\\/72x72\\/"};</script></head>
<body class="page-template elementor-page"><header><a href="/"><img src="/wp-content/uploads/logo@2x.png" srcset="/wp-content/uploads/logo@2x.png 2x" alt="Haarwerk"></a></header>
<div class="elementor-widget-icon-list"><ul class="elementor-icon-list-items"><li><a href="tel:+43732998877"><span class="elementor-icon-list-icon"><svg viewBox="0 0 512 512"><path d="M493.4 24.6l-104-24c-11.3-2.6"></path></svg></span><span class="elementor-icon-list-text">0732 99 88 77</span></a></li>
<li><a href="mailto:termine@haarwerk-linz.at?subject=Terminanfrage"><span class="elementor-icon-list-text">termine@haarwerk-linz.at</span></a></li></ul></div>
<div class="sharedaddy"><a href="https://www.facebook.com/sharer/sharer.php?u=https%3A%2F%2Fwww.haarwerk-linz.at">Teilen</a><a href="https://twitter.com/intent/tweet?text=Haarwerk&amp;via=haarwerk">Tweet</a><a href="mailto:?subject=Haarwerk&body=https://www.haarwerk-linz.at/kontakt/">E-Mail</a></div>
<footer><a href="https://www.instagram.com/haarwerk.linz/">Instagram</a> <a href="https://www.facebook.com/haarwerklinz/?ref=page_internal">Facebook</a></footer></body></html>`,
    emails: ["termine@haarwerk-linz.at"],
    phones: ["+43732998877"],
    socials: ["https://www.instagram.com/haarwerk.linz", "https://www.facebook.com/haarwerklinz"],
  },
  {
    kind: "WordPress with Contact Form 7 and a credit line",
    url: "https://mitchell-roofing.com/contact-us/",
    html: `<html lang="en-US"><body><h1>Contact Mitchell Roofing</h1>
<p>Call us today for a free estimate: <strong>(512) 555-0143</strong> or toll free 1-800-555-0199<br>Emergency leaks 24/7: 512.555.0188</p>
<p>Email: <a href="mailto:estimates@mitchell-roofing.com">estimates@mitchell-roofing.com</a></p>
<form class="wpcf7-form"><input type="email" name="your-email" placeholder="you@example.com"><input type="tel" placeholder="(555) 555-5555"><textarea placeholder="john.doe@email.com"></textarea></form>
<p>TX Lic. #4471203 · Est. 1987 · Serving zip codes 78701, 78702, 78745-1234</p>
<footer>© 2009-2026 Mitchell Roofing LLC. Website by <a href="https://www.facebook.com/sharer.php?u=x">Brightpixel</a></footer></body></html>`,
    emails: ["estimates@mitchell-roofing.com"],
    phones: ["+15125550143", "+18005550199", "+15125550188"],
    socials: [],
  },
  {
    kind: "Wix with its error tracker and state",
    url: "https://www.casabellapizzeria.com/contact",
    html: `<html lang="en"><head><script>window.sentryDsn="https://605a7baede844d278b89dc95ae0a9123@sentry-next.wixpress.com/68";</script>
<script type="application/json" id="wix-warmup-data">{"platform":{"errors":"8eb368c655b84e029ed79ad7a5c1718e@sentry.wixpress.com"},"ooi":{"contactEmail":"ciao@casabellapizzeria.com"}}</script></head>
<body><div id="SITE_CONTAINER"><p class="font_8"><span>Tel:&nbsp;</span><a href="tel:773-555-0162">773-555-0162</a></p><p class="font_8"><a data-auto-recognition="true" href="mailto:ciao@casabellapizzeria.com">ciao@casabellapizzeria.com</a></p>
<ul aria-label="Social Bar"><li><a href="https://www.facebook.com/wix" aria-label="Facebook"><img src="https://static.wixstatic.com/media/23fd2a2be53141ed810f4d3dcdcd01fa.png"></a></li><li><a href="https://www.instagram.com/casabellachicago" aria-label="Instagram"></a></li></ul></div></body></html>`,
    emails: ["ciao@casabellapizzeria.com"],
    phones: ["+17735550162"],
    socials: ["https://www.instagram.com/casabellachicago"],
  },
  {
    kind: "Squarespace footer",
    url: "https://www.fernandfoxflorals.co.uk/",
    html: `<html lang="en-GB"><body class="sqs-block"><main><h2>Let's talk flowers</h2><p>Studio visits by appointment.</p></main>
<footer class="Footer"><div class="sqs-block-content"><p>Unit 4, 12&ndash;14 Mill Lane, Bristol BS1 6XN</p><p>T 0117 496 0123 &nbsp;|&nbsp; M 07400 123456</p><p>hello@fernandfoxflorals.co.uk</p><p>VAT No. GB 123 4567 89 | Company No. 08123456</p></div>
<nav class="SocialLinks"><a href="http://instagram.com/fernandfox"></a><a href="https://www.pinterest.co.uk/fernandfox/"></a><a href="https://www.pinterest.com/pin/create/button/?url=x"></a></nav></footer></body></html>`,
    emails: ["hello@fernandfoxflorals.co.uk"],
    phones: ["+441174960123", "+447400123456"],
    socials: ["https://www.instagram.com/fernandfox", "https://www.pinterest.com/fernandfox"],
  },
  {
    kind: "Jimdo imprint with words for the sign",
    url: "https://www.imkerei-sonnental.de/impressum/",
    html: `<html lang="de-DE"><body><div id="cc-m-1" class="j-module n j-text"><p><strong>Imkerei Sonnental</strong><br>Inh. Petra Lindner<br>Am Hang 7<br>79100 Freiburg</p><p>Telefon: 0761 / 45 67 89-0<br>Telefax: 0761 / 45 67 89-10<br>E-Mail: post (at) imkerei-sonnental (punkt) de</p><p>USt-IdNr.: DE 123 456 789<br>Steuernummer: 06123/45678</p><p>Bankverbindung: IBAN DE89 3704 0044 0532 0130 00, BIC COBADEFFXXX</p></div><div id="footer"><a href="https://www.jimdo.com/">Jimdo</a> <a href="https://de-de.facebook.com/imkereisonnental">Facebook</a></div></body></html>`,
    emails: ["post@imkerei-sonnental.de"],
    phones: ["+497614567890"],
    faxes: ["+4976145678910"],
    socials: ["https://www.facebook.com/imkereisonnental"],
  },
  {
    kind: "Shopify contact page, policies and article numbers",
    url: "https://northloom.ca/pages/contact",
    html: `<html lang="en"><head><script>var Shopify = Shopify || {}; Shopify.shop = "northloom.myshopify.com"; Shopify.cdnHost="northloom.ca/cdn";</script><script type="application/ld+json">{"@context":"http://schema.org","@type":"Organization","name":"North Loom","logo":"https://northloom.ca/cdn/shop/files/logo@3x.png","sameAs":["","https://www.facebook.com/northloom","","https://instagram.com/northloom","https://www.tiktok.com/@northloom"],"url":"https://northloom.ca"}</script></head>
<body><main><h1>Contact</h1><p>Questions about order #100234567? Write to <a href="/cdn-cgi/l/email-protection#${cloudflareHex("help@northloom.ca")}"><span class="__cf_email__" data-cfemail="${cloudflareHex("help@northloom.ca")}">[email&#160;protected]</span></a> or ring +1 (604) 555-0177 (Mon–Fri 9:00–17:00 PST).</p><p>SKU: 4006381333931 · Item no. 604-555-01 · $1,299.00</p></main></body></html>`,
    emails: ["help@northloom.ca"],
    phones: ["+16045550177"],
    socials: [
      "https://www.facebook.com/northloom",
      "https://www.instagram.com/northloom",
      "https://www.tiktok.com/@northloom",
    ],
  },
  {
    kind: "TYPO3 with its shifted addresses",
    url: "https://www.stadtwerke-auental.de/service/kontakt",
    html: `<html lang="de"><body><div class="frame"><h2>Kundenservice</h2><p>Servicetelefon <a href="tel:+4937112345600">0371 12345-600</a></p><p><a href="#" data-mailto-token="ocknvq,mwpfgpugtxkegBuvcfvygtmg/cwgpvcn0fg" data-mailto-vector="2">kundenservice(at)stadtwerke-auental.de</a></p><p>Störungsdienst Strom: 0371 12345-911</p></div></body></html>`,
    emails: ["kundenservice@stadtwerke-auental.de"],
    phones: ["+4937112345600", "+4937112345911"],
    socials: [],
  },
  {
    kind: "Joomla cloaking script",
    url: "https://www.fahrschule-kern.ch/kontakt",
    html: `<html lang="de-ch"><body><p>Fahrschule Kern, Bahnhofstrasse 3, 8400 Winterthur<br>Tel. 052 212 34 56 | Natel 079 123 45 67</p><span id="cloak71">This email address is being protected from spambots. You need JavaScript enabled to view it.</span><script type='text/javascript'>
 document.getElementById('cloak71').innerHTML = '';
 var prefix = '&#109;a' + 'i&#108;' + '&#116;o'; var path = 'hr' + 'ef' + '=';
 var addy71 = '&#105;nf&#111;' + '&#64;'; addy71 = addy71 + 'f&#97;hrsch&#117;l&#101;-k&#101;rn' + '&#46;' + 'ch';
 document.getElementById('cloak71').innerHTML += '<a ' + path + '\\'' + prefix + ':' + addy71 + '\\'>' + addy71+'<\\/a>';</script></body></html>`,
    emails: ["info@fahrschule-kern.ch"],
    phones: ["+41522123456", "+41791234567"],
    socials: [],
  },
  {
    kind: "Webflow with icons and a WhatsApp link",
    url: "https://www.aurea-studio.es/contacto",
    html: `<html lang="es" data-wf-page="64f0c0ffee0000000000abcd"><body><div class="navbar w-nav"><a href="/">Aurea</a></div><section><h1>Hablemos</h1><a href="https://wa.me/34612345678?text=Hola" class="btn w-button">WhatsApp</a><a class="link" href="mailto:hola@aurea-studio.es">hola@aurea-studio.es</a><p>Calle Mayor 12, 28013 Madrid · 910 123 456</p></section><footer><a href="https://www.linkedin.com/company/aurea-studio/about/">LinkedIn</a><a href="https://www.behance.net/aurea">Behance</a><a href="https://www.youtube.com/watch?v=dQw4w9WgXcQ">Vídeo</a></footer></body></html>`,
    emails: ["hola@aurea-studio.es"],
    phones: ["+34910123456"],
    socials: ["https://wa.me/34612345678", "https://www.linkedin.com/company/aurea-studio"],
  },
  {
    kind: "Next.js page with its state",
    url: "https://www.driftcoffee.com.au/find-us",
    html: `<html lang="en-AU"><body><div id="__next"><main><h1>Find us</h1><p>Shop 2, 18 Harbour St, Sydney NSW 2000</p><p>Ph: (02) 5550 1234</p><p>ABN 51 824 753 556</p></main></div><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{"site":{"contact":{"email":"brew@driftcoffee.com.au","phone":"0255501234"},"assets":["hero@2x.webp"]}}},"buildId":"a1b2c3d4"}</script></body></html>`,
    emails: ["brew@driftcoffee.com.au"],
    phones: ["+61255501234"],
    socials: [],
  },
  {
    kind: "Weebly, address split by markup",
    url: "https://www.oldmillpottery.ie/contact.html",
    html: `<html lang="en"><body class="wsite-page-contact"><div class="paragraph">Workshop: Old Mill, Kilkenny<br /><strong>Phone</strong>&nbsp;&nbsp;056 770 1234<br /><strong>Mobile</strong>: 087 123 4567<br /><strong>E-mail</strong>: pots<span>@</span>oldmillpottery<span>.</span>ie</div><span class="wsite-social"><a href="//www.facebook.com/oldmillpottery" target="_blank"></a><a href="mailto:pots@oldmillpottery.ie"></a></span></body></html>`,
    emails: ["pots@oldmillpottery.ie"],
    phones: ["+353567701234", "+353871234567"],
    socials: ["https://www.facebook.com/oldmillpottery"],
  },
  {
    kind: "PrestaShop store block",
    url: "https://www.epicerie-lavande.fr/nous-contacter",
    html: `<html lang="fr-FR"><body><footer id="footer"><div class="block-contact"><h4>Informations</h4>Épicerie Lavande<br>5 rue des Halles<br>84000 Avignon<br>France<br><br>Appelez-nous : <span>04 90 12 34 56</span><br>Fax : <span>04 90 12 34 57</span><br>Écrivez-nous : <span>bonjour@epicerie-lavande.fr</span></div><p>SIRET 812 345 678 00012 - RCS Avignon 812 345 678 - TVA FR12 812345678</p><a href="https://www.prestashop.com">© 2026 - Logiciel e-commerce par PrestaShop™</a></footer></body></html>`,
    emails: ["bonjour@epicerie-lavande.fr"],
    phones: ["+33490123456"],
    faxes: ["+33490123457"],
    socials: [],
  },
];
