import { api } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { CommandText } from "../parts/command-text.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded } from "../parts/state-view.tsx";

interface RunbookDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** A page of the runbook: what a problem means, and what to do. */
export function RunbookDialog({ name, onClose }: RunbookDialogProps) {
  const page = useResource(`runbook ${name}`, (signal) =>
    api.get("/api/runbook/{name}", { params: { name }, signal }),
  );
  return (
    <Dialog title={page.data?.title ?? "What to do"} onClose={onClose} shape="drawer">
      <Loaded from={page}>
        {({ text }) => (
          <div class="stack">
            {text
              .split("\n\n")
              .slice(1)
              .map((block) => (
                <Block key={block} text={block} />
              ))}
            <Same command={`forager runbook ${name}`} api={`GET /api/runbook/${name}`} />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

/** Runbook pages have headings, paragraphs and lists, and nothing else. */
function Block({ text }: { readonly text: string }) {
  if (text.startsWith("## ")) return <h3>{text.slice(3)}</h3>;
  const [, mark] = /^(- |1\. )/.exec(text) ?? [];
  if (mark === undefined) {
    return (
      <p>
        <CommandText text={text} />
      </p>
    );
  }
  const items = text.split("\n").filter((line) => line !== "");
  const List = mark === "- " ? "ul" : "ol";
  return (
    <List>
      {items.map((item) => (
        <li key={item}>
          <CommandText text={item.replace(/^(?:- |\d+\. )/, "")} />
        </li>
      ))}
    </List>
  );
}
