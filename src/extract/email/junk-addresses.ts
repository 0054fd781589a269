/**
 * Registered domains of addresses that belong to templates, fonts, site builders and error
 * trackers.
 */
const junkDomains = new Set(
  (
    "wixpress.com wix.com sentry.io sentry-cdn.com godaddy.com secureserver.net latofonts.com schema.org w3.org " +
    "cloudflare.com squarespace.com shopify.com myshopify.com wordpress.com wordpress.org weebly.com " +
    "jimdo.com webflow.com webflow.io hubspot.com google-analytics.com googletagmanager.com gstatic.com " +
    "googleapis.com bugsnag.com rollbar.com datadoghq.com newrelic.com fyre.co indiantypefoundry.com " +
    "typemade.mx pixelspread.com rfuenzalida.com sansoxygen.com eyebytes.com micahrich.com " +
    "jquery.com fontawesome.com getbootstrap.com automattic.com elementor.com yoast.com " +
    "parastorage.com mailchimp.com list-manage.com disqus.com gravatar.com github.com gitlab.com " +
    "google.com facebook.com facebookmail.com meta.com fb.com paypal.com twitter.com x.com instagram.com " +
    "linkedin.com matomo.org hotjar.com vimeo.com youtube.com addthis.com " +
    "bitbucket.org npmjs.com medium.com mastodon.social"
  ).split(" "),
);

/** Registered domains that mean "your domain" in many languages. */
const placeholderDomains = new Set(
  (
    "domain.com domaine.com domain.tld dominio.com domena.pl domain.de domain.org domain.net mydomain.com " +
    "yourdomain.com your-domain.com yourdomain.org yourcompany.com your-company.com yoursite.com " +
    "yourwebsite.com yourbusiness.com yourmail.com youremail.com your-email.com your.com yours.com " +
    "mysite.com mywebsite.com mycompany.com company.com companyname.com website.com site.com sitename.com " +
    "email.com emailaddress.com address.com mailaddress.com mail.tld email.tld adresse.fr adresse.de " +
    "beispiel.de beispiel.com beispiel.at beispiel.ch musterfirma.de mustermann.de muster.de muster.ch " +
    "ihre-domain.de ihredomain.de deine-domain.de deinedomain.de ihrefirma.de firma.de " +
    "exemple.fr exemple.com exemple.org votredomaine.fr votre-domaine.fr votresite.fr votre-site.fr votreentreprise.fr " +
    "ejemplo.com ejemplo.es ejemplo.org tudominio.com tu-dominio.com tudominio.es tuempresa.com correo.com dominio.es " +
    "esempio.it esempio.com tuodominio.it dominio.it tuosito.it azienda.it " +
    "exemplo.com exemplo.com.br seudominio.com seudominio.com.br seusite.com.br voorbeeld.nl uwdomein.nl jouwdomein.nl domein.nl " +
    "przyklad.pl twojadomena.pl example.com example.org example.net example.edu example.co.uk example.fr example.de example.jp " +
    "example.es example.it example.nl example.co.jp test.com test.de test.fr tester.com testing.com xyz.com xxx.com abc.com abcd.com foo.com bar.com foobar.com " +
    "acme.com sample.com server.com host.com hostname.com none.com nowhere.com somewhere.com somedomain.com anydomain.com " +
    "demo.com localhost.com mail.com.example doe.com smith.com"
  ).split(" "),
);

/** Local parts that ask readers to insert their own. */
const placeholderLocals =
  /^(?:your|you|youremail|yourmail|yourname|your[._-](?:name|e?-?mail|address|id)|your[._-]?\w{0,12}here|name|my-?name|my-?e?mail|me|e-?mail[._-]?(?:address|here|id)|firstname(?:[._-]?lastname)?|first[._-]last|(?:first|last)[._-]?name|lastname|f[._-]?lastname|vorname(?:[._-]?nachname)?|nachname|v[._-]nachname|ihr[._-]?name|ihre?[._-]?e?-?mail|dein[._-]?name|deine[._-]?e?-?mail|max[._-]?mustermann|m[._-]mustermann|erika[._-]?mustermann|mustermann|muster|prenom(?:[._-]?nom)?|nom(?:[._-]?prenom)?|votre[._-]?(?:nom|e?-?mail|adresse)|vous|jean[._-]dupont|nombre(?:[._-]?apellidos?)?|tu[._-]?(?:nombre|correo|e?-?mail)|su[._-]?(?:nombre|correo)|usuario|nome(?:[._-]?cognome)?|tuo[._-]?nome|tua[._-]?e?-?mail|seu[._-]?(?:nome|e?-?mail)|nome[._-]sobrenome|naam|uw[._-]?naam|voornaam(?:[._-]?achternaam)?|jan[._-]?kowalski|imie(?:[._-]?nazwisko)?|twoj[._-]?(?:e?-?mail|adres)|john[._-]?doe|jane[._-]?doe|j[._-]?doe|johndoe\d*|user(?:name)?|utilisateur|benutzer|null|undefined|someone|somebody|anyone|nobody|abc|xyz|xxx+|foo|bar|foobar|asdf|qwerty|test|tester|example|sample|demo|placeholder|dummy|lorem|ipsum|removethis|nospam|no-?spam)$/;

/** Exceptions from the list above: they may be real mailboxes on a company's own domain. */
const onlyOnPlaceholderDomains =
  /^(?:me|demo|sample|user|usuario|muster|bar|abc|xyz|mustermann|nobody)$/;

export function isPlaceholder(local: string, registered: string): boolean {
  if (placeholderDomains.has(registered)) return true;
  if (
    /^(?:example|exemple|ejemplo|beispiel|esempio|exemplo|yourdomain|your-?company|mydomain|domainname|mustermann|musterfirma)\./.test(
      registered,
    )
  )
    return true;
  if (
    /^(?:your|ihre?-|deine?-|votre-|tu-)(?:domain|company|firma|site|website|email|business|brand|shop|store)/.test(
      registered,
    )
  )
    return true;
  return placeholderLocals.test(local) && !onlyOnPlaceholderDomains.test(local);
}

/** Mailboxes that nobody reads. */
export const isSenderOnly = (local: string): boolean =>
  /^(?:no[._-]?reply|do[._-]?not[._-]?reply|donotreply|nicht[._-]?antworten|ne[._-]?pas[._-]?repondre|no[._-]?responder|mailer[._-]?daemon|postmaster|bounces?|unsubscribe|abuse[._-]?report|wordpress)(?:[+._-].{0,40})?$/.test(
    local,
  );

export const isJunkDomain = (registered: string): boolean => junkDomains.has(registered);
