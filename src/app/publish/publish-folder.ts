import { AppError } from "../../base/app-error.ts";
import {
  publishSite,
  type PersonalValue,
  type PublishedSite,
  type SiteMode,
} from "../../publish/index.ts";
import { runHook, type HookOutcome } from "./hook.ts";
import { keepKnownSite, readKnownSites } from "./known-sites.ts";
import { openSiteKeys, removeSiteKeys } from "./site-keys.ts";
import { openSiteSource, type SiteSourceOptions } from "./site-source.ts";
import { closeToOthers, openSiteTarget, provePrivate, type PrivacyProof } from "./site-target.ts";

export interface PublishFolderOptions extends SiteSourceOptions {
  /** As returned by `siteAddress`. */
  readonly target: string;
  readonly mode: SiteMode;
  /** For a public site: personal values that are shown nevertheless. */
  readonly shown: readonly PersonalValue[];
  /** Creates a new key and link, and removes the files that the old key decrypts. */
  readonly isRotating?: boolean;
  readonly onCompanies?: (count: number) => void;
  readonly onUploads?: (count: number) => void;
}

export interface PublishedFolder extends PublishedSite {
  readonly target: string;
  /** For a private site: the proof that nobody else can read it. */
  readonly proof: PrivacyProof | undefined;
  /** The fragment of the link to a sealed site: `#k=…`. */
  readonly fragment: string | undefined;
  /** Undefined if no hook is configured, or nothing was changed. */
  readonly hook: HookOutcome | undefined;
}

/**
 * Publishes a data folder, for commands, schedules and the API. Throws `site_is_public` before
 * anything is uploaded.
 */
export async function publishFolder(options: PublishFolderOptions): Promise<PublishedFolder> {
  const { target, mode, paths, settings, clock, signal, campaign, shown } = options;
  const source = await openSiteSource(options);
  await using opened = await openSiteTarget(target, signal);
  const proof = mode === "private" ? await provePrivate(opened) : undefined;
  if (proof?.state === "public") throw publicTarget(target, proof);
  const isRotating = options.isRotating === true;
  const keys = mode === "sealed" ? await openSiteKeys(paths, target, { isRotating }) : undefined;
  const before = mode === "sealed" ? undefined : await previousKeys(options);
  const published = await publishSite({
    store: opened.bucket,
    source,
    clock,
    signal,
    mode,
    shown,
    sealing: keys?.sealing,
    oldKeys: keys?.oldKeys ?? before ?? [],
    onAccepted: () => closeToOthers(target, mode),
    ...(options.onCompanies && { onCompanies: options.onCompanies }),
    ...(options.onUploads && { onUploads: options.onUploads }),
  });
  await keys?.commit();
  if (before) await removeSiteKeys(paths, target);
  await keepKnownSite(paths, {
    target,
    mode,
    shown: [...shown],
    at: published.at,
    companies: published.body.companies,
    ...(campaign !== undefined && { campaign }),
  });
  const isChanged = published.status === "published";
  const { afterCommand } = settings.publish;
  const hook =
    isChanged && afterCommand !== undefined
      ? await runHook(afterCommand, { target, generation: published.generation, clock, signal })
      : undefined;
  const fragment = keys ? `#k=${keys.sealing.key}` : undefined;
  return { ...published, target, proof, fragment, hook };
}

/** The keys of a site that was sealed until now. */
async function previousKeys({ paths, target }: PublishFolderOptions) {
  const known = readKnownSites(paths).find((site) => site.target === target);
  if (known?.mode !== "sealed") return undefined;
  const { sealing, oldKeys } = await openSiteKeys(paths, target, { isRotating: false });
  return [sealing, ...oldKeys];
}

export const publicTarget = (target: string, { detail }: PrivacyProof): AppError =>
  new AppError(
    "invalid",
    "site_is_public",
    `${target}: ${detail}. Nothing was uploaded. Make the bucket private (block public access), or ` +
      "encrypt the site with --sealed, or give --public if everybody may see it",
  );

/** Publishes an earlier site of this data folder again. Throws `no_site` for another target. */
export async function publishKnown(
  target: string,
  options: Omit<PublishFolderOptions, "target" | "mode" | "shown" | "campaign">,
): Promise<PublishedFolder> {
  const site = readKnownSites(options.paths).find((one) => one.target === target);
  if (!site) {
    const message = `${target} was not published from this machine before: run \`forager publish\` once and choose who may read it`;
    throw new AppError("invalid", "no_site", message);
  }
  const { mode, shown, campaign } = site;
  return publishFolder({ ...options, target, mode, shown, campaign });
}
