import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../data/api.ts";
import { plural } from "../data/format.ts";
import { diffExcerpt, lineDiff } from "../../base/text/line-diff.ts";
import { failureText, useResource } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { shownText } from "../data/safe-text.ts";
import { Loaded } from "../parts/state-view.tsx";
import { showToast } from "../parts/toast.tsx";

const checkMs = 500;

/**
 * An editor for the campaign's config.toml: checks the text while the user types, and shows the
 * difference before saving.
 */
export function ConfigEditor({ campaign }: { readonly campaign: string }) {
  const config = useResource(campaign, (signal) =>
    api.get("/api/campaigns/{campaign}/config", { params: { campaign }, signal }),
  );
  return (
    <section class="card">
      <header>
        <h2>config.toml</h2>
        <small>every node gets the new one from the bucket</small>
      </header>
      <Loaded from={config}>
        {({ text }) => (
          <Editor key={text} campaign={campaign} saved={text} onSaved={config.reload} />
        )}
      </Loaded>
    </section>
  );
}

interface EditorProps {
  readonly campaign: string;
  readonly saved: string;
  readonly onSaved: () => void;
}

interface Checked {
  readonly text: string;
  /** Empty if there is none. */
  readonly problem: string;
  readonly tiles: number;
}

function Editor({ campaign, saved: loaded, onSaved }: EditorProps) {
  /** The last known stored text, on which the change is based. */
  const stored = useSignal(loaded);
  const saved = stored.value;
  const text = useSignal(loaded);
  const checked = useSignal<Checked | undefined>(undefined);
  const problem = useSignal("");
  const isSaving = useSignal(false);
  const canEdit = may("campaigns:write");
  const isChanged = text.value !== saved;

  useEffect(() => {
    if (!isChanged) return undefined;
    const timer = setTimeout(async () => {
      const asked = text.value;
      const body = { text: asked, isDryRun: true };
      try {
        const { tiles } = await api.send("PUT", "/api/campaigns/{campaign}/config", { params: { campaign }, body }); // prettier-ignore
        checked.value = { text: asked, problem: "", tiles };
      } catch (error) {
        checked.value = { text: asked, problem: failureText(error, "nothing was saved"), tiles: 0 };
      }
    }, checkMs);
    return () => clearTimeout(timer);
  }, [text.value]);

  const save = async () => {
    isSaving.value = true;
    problem.value = "";
    try {
      await api.send("PUT", "/api/campaigns/{campaign}/config", {
        params: { campaign },
        body: { text: text.value, base: saved },
      });
      showToast("Configuration saved");
      onSaved();
    } catch (error) {
      problem.value = failureText(error, "nothing was saved");
      // Somebody else has saved meanwhile: show the difference from their text, and keep what was
      // typed.
      const theirs = await api
        .get("/api/campaigns/{campaign}/config", { params: { campaign } })
        .catch(() => undefined);
      if (theirs) stored.value = theirs.text;
    }
    isSaving.value = false;
  };
  const isCurrent = checked.value?.text === text.value;
  const { problem: fault = "", tiles = 0 } = isCurrent ? checked.value! : {};
  return (
    <div class="stack">
      <textarea
        class="config"
        aria-label="config.toml"
        spellcheck={false}
        readOnly={!canEdit}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {problem.value !== "" && <Trouble text={problem.value} />}
      {isChanged && fault !== "" && <Trouble text={fault} />}
      {isChanged && (
        <>
          <h3>What would change</h3>
          <div class="diff" aria-label="Difference">
            {diffExcerpt(lineDiff(saved, text.value)).map((line, index) =>
              line === undefined ? (
                <div class="dim" key={index}>
                  …
                </div>
              ) : (
                <div key={index} class={line.kind === "same" ? "dim" : line.kind}>
                  {line.kind === "add" ? "+ " : line.kind === "del" ? "− " : "  "}
                  {line.text}
                </div>
              ),
            )}
          </div>
          <div class="row">
            <button
              class="btn go"
              disabled={!isCurrent || fault !== "" || isSaving.value}
              onClick={() => void save()}
            >
              Save
            </button>
            <button class="btn" onClick={() => (text.value = saved)}>
              Discard
            </button>
            <span class="dim" role="status">
              {isCurrent
                ? fault === ""
                  ? `checked: no errors, ${plural(tiles, "tile")}`
                  : ""
                : "checking…"}
            </span>
          </div>
        </>
      )}
    </div>
  );
}

function Trouble({ text }: { readonly text: string }) {
  return (
    <div class="alarm bad" role="alert">
      <b>Not saved</b>
      <span>{shownText(text, 600)}</span>
    </div>
  );
}
