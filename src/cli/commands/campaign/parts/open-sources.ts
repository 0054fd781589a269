import { openPlaces, type Places } from "../../../../app/index.ts";
import type { CutProgress } from "../../../../sources/index.ts";
import type { OptionSpec, SettingsContext } from "../../../frame/command.ts";

/** The snapshots of this data folder. Shows a progress bar while an extract is made from a file. */
export function openPlacesHere(context: SettingsContext): Promise<Places> {
  const { paths, settings } = context;
  const { bucket, crawl } = settings;
  return openPlaces({
    paths,
    bucket,
    contact: crawl.contact,
    keepReleases: settings.places.keepReleases,
    onProgress: showCut(context),
  });
}

export const forceOption: OptionSpec = {
  flag: "--force",
  summary: "ask an Overpass server for more than 5,000 tiles",
};

const labels = { hash: "check the file", read: "read places", write: "write tiles" };

/** Shows one progress bar per step. */
export function showCut({
  progress,
}: Pick<SettingsContext, "progress">): (step: CutProgress) => void {
  let shown: { step: CutProgress["step"]; handle: ReturnType<typeof progress.start> } | undefined;
  let done = 0;
  return (now) => {
    const [at, total] =
      now.step === "write" ? [now.tiles, now.tilesTotal] : [now.bytes, now.bytesTotal];
    if (shown?.step !== now.step) {
      shown?.handle.done();
      const unit = now.step === "write" ? {} : { unit: "bytes" as const };
      shown = {
        step: now.step,
        handle: progress.start({ label: labels[now.step], total, ...unit }),
      };
      done = 0;
    }
    shown.handle.advance(at - done);
    done = at;
    if (at >= total) {
      shown.handle.done();
      shown = undefined;
    }
  };
}
