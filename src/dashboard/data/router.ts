/**
 * The current address as a signal. Everything the user has chosen (filters, the open company, the
 * day of the map) is in the address, so a reload, the back button and a bookmark show the same.
 */
import { computed, signal } from "@preact/signals";
import { options } from "preact";
import { fragmentOf, isPublished, readFragment } from "./published.ts";

export interface PageLocation {
  readonly path: string;
  readonly query: URLSearchParams;
}

function read(): PageLocation {
  if (!isPublished) return { path: location.pathname, query: new URLSearchParams(location.search) };
  const [path = "/", query = ""] = readFragment().page.split("?");
  return { path, query: new URLSearchParams(query) };
}

export const place = signal<PageLocation>(read());
/** `/companies/x` has the parts "companies" and "x". */
export const pathParts = computed(() =>
  place.value.path.split("/").filter(Boolean).map(decodePart),
);

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function navigate(page: string, { isReplaced = false } = {}): void {
  const before = place.value.path;
  const href = isPublished ? fragmentOf(page) : page;
  if (isReplaced) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  place.value = read();
  if (place.value.path !== before) scrollTo(0, 0);
}

type Values = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The address of this page with some parameters changed; `undefined` removes one. */
export function withQuery(changes: Values, path = place.value.path): string {
  const query = new URLSearchParams(path === place.value.path ? place.value.query : "");
  for (const [key, value] of Object.entries(changes)) {
    query.delete(key);
    for (const one of typeof value === "string" ? [value] : (value ?? [])) query.append(key, one);
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

export interface Panel {
  /** What the address says; undefined: the panel is closed. */
  readonly value: string | undefined;
  readonly open: (value?: string) => void;
  readonly close: () => void;
}

/** A panel that is open while the address has this parameter, so that links and commands open it. */
export const panelIn = (key: string): Panel => ({
  value: place.value.query.get(key) ?? undefined,
  open: (value = "yes") => navigate(withQuery({ [key]: value })),
  close: () => navigate(withQuery({ [key]: undefined }), { isReplaced: true }),
});

/** Follows links within the page without loading it again. */
export function followLinks(): void {
  if (isPublished) return followFragments();
  addEventListener("popstate", () => (place.value = read()));
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || link.hasAttribute("download")) return;
    // The server handles these: files, and the redirect to the identity provider.
    if (link.origin !== location.origin || /^\/(?:api|login)\//.test(link.pathname)) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
}

/**
 * A static host serves one page, so links of a published site become fragments of it: a reload, a
 * bookmark and a new tab then work on any host. Components write links as paths; they are converted
 * here, in one place.
 */
function followFragments(): void {
  const { key } = readFragment();
  const before = options.vnode?.bind(options);
  options.vnode = (vnode) => {
    const props = vnode.props as { href?: unknown };
    if (vnode.type === "a" && typeof props.href === "string" && props.href.startsWith("/")) {
      props.href = fragmentOf(props.href);
    }
    before?.(vnode);
  };
  addEventListener("popstate", () => {
    if (readFragment().key !== key) return location.reload();
    const { path } = place.value;
    place.value = read();
    if (place.value.path !== path) scrollTo(0, 0);
  });
}
