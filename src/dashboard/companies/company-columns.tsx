import { timeOf } from "../data/format.ts";
import { withQuery } from "../data/router.ts";
import { websiteHref } from "../data/safe-text.ts";
import { Ago, SafeLink, Text } from "../parts/text.tsx";
import type { CompanyRow } from "./company-query.ts";

/** The cells of the available columns. */
export interface Column {
  readonly key: string;
  readonly title: string;
  readonly isNumber?: boolean;
  readonly isDefault?: boolean;
  /** In pixels; the other columns share the rest. */
  readonly width?: number;
  readonly cell: (company: CompanyRow) => preact.ComponentChildren;
}

const clipped = (text: string | undefined) =>
  text ? <span class="clip" title={text.slice(0, 200)}><Text value={text} max={120} /></span> : ""; // prettier-ignore

export const columnsKnown: readonly Column[] = [
  {
    key: "company",
    title: "Company",
    isDefault: true,
    cell: ({ name, slug }) => (
      <a href={withQuery({ open: slug })}>
        <span class="clip">
          <Text value={name || slug} max={120} />
        </span>
      </a>
    ),
  },
  {
    key: "city",
    title: "City",
    width: 130,
    isDefault: true,
    cell: ({ texts }) => clipped(texts["city"]),
  },
  {
    key: "email",
    title: "Email",
    isDefault: true,
    cell: ({ emails, visit }) =>
      emails[0] ? (
        <>
          {clipped(emails[0].value)}
          {emails.length > 1 && <small class="dim">and {emails.length - 1} more</small>}
        </>
      ) : (
        <MissingEmail outcome={visit?.outcome} />
      ),
  },
  { key: "phone", title: "Phone", width: 140, isDefault: true, cell: ({ phones }) => <span class="nowrap">{clipped(phones[0]?.value)}</span> }, // prettier-ignore
  {
    key: "website",
    title: "Website",
    cell: ({ texts }) => {
      const site = texts["domain"] ?? texts["website"];
      return site ? <span class="clip"><SafeLink href={websiteHref(texts["website"] ?? site)} text={site} /></span> : ""; // prettier-ignore
    },
  },
  { key: "category", title: "Category", cell: ({ categories }) => clipped(categories.join(", ")) },
  { key: "tags", title: "Tags", cell: ({ tags }) => tags.slice(0, 5).map((tag) => <span class="pill" key={tag}><Text value={tag} max={30} /></span>) }, // prettier-ignore
  { key: "rating", title: "Rating", width: 70, isNumber: true, cell: ({ numbers }) => numbers["rating"]?.toFixed(1) ?? "" }, // prettier-ignore
  { key: "reviews", title: "Reviews", width: 80, isNumber: true, cell: ({ numbers }) => numbers["reviews"]?.toLocaleString("en") ?? "" }, // prettier-ignore
  { key: "callback", title: "Call back", width: 100, cell: ({ callback }) => (callback ? <Ago atMs={timeOf(callback)} /> : "") }, // prettier-ignore
  {
    key: "changed",
    title: "Changed",
    width: 90,
    isNumber: true,
    isDefault: true,
    cell: ({ changedAt }) => <span class="nowrap dim"><Ago atMs={timeOf(changedAt)} /></span>, // prettier-ignore
  },
];

const missingTexts: Readonly<Record<string, string>> = {
  done: "none on the website",
  not_modified: "none on the website",
  robots: "robots.txt forbids the visit",
  blocked: "the website refuses programs",
  parked: "parked domain",
  unreachable: "website unreachable",
};

function MissingEmail({ outcome }: { readonly outcome: string | undefined }) {
  if (outcome === undefined) return <span class="dim">not visited yet</span>;
  return <span class="pill warn">{missingTexts[outcome] ?? "website unreachable"}</span>;
}
