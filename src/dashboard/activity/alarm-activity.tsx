import { api, type RowOf } from "../data/api.ts";
import { useLive, useResource } from "../data/resource.ts";
import { Alarm } from "../overview/alarms.tsx";
import { CommandText } from "../parts/command-text.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";

/** Problems that need attention, each with its runbook page and the command that shows more. */
export function AlarmActivity() {
  const status = useLive("status", (signal) =>
    api.get("/api/status", { query: { cluster: true }, signal }),
  );
  const runbook = useResource("runbook", (signal) => api.get("/api/runbook", { signal }));
  const moreOf = (name: string | undefined) => {
    const page = runbook.data?.rows.find((one) => one.name === name);
    return page && firstCommand(page);
  };
  return (
    <>
      <section class="card" aria-label="Alarms">
        <Loaded from={status}>
          {({ attention, problems }) =>
            attention.length === 0 ? (
              <Notice icon="check" title="Nothing needs attention">
                <p>
                  Alarms can also be sent to you: set <code>alert.ntfy</code>,{" "}
                  <code>alert.mail</code>, <code>alert.slack</code> or <code>alert.webhook</code>.
                </p>
              </Notice>
            ) : (
              <div class="stack">
                {attention.map((text) => {
                  const name = problems.find((one) => one.text === text)?.name;
                  const more = moreOf(name);
                  return (
                    <div class="stack tight" key={text}>
                      <Alarm text={text} page={name} />
                      {more !== undefined && (
                        <p class="dim">
                          shows more: <CommandText text={more} />
                        </p>
                      )}
                    </div>
                  );
                })}
              </div>
            )
          }
        </Loaded>
      </section>
      <Same command="forager status --cluster" api="GET /api/status?cluster=true" />
    </>
  );
}

/** The first line of the section "See it" of the runbook page: a command and what it shows. */
function firstCommand({ text }: RowOf<"/api/runbook">): string | undefined {
  const [, part = ""] = text.split("## See it");
  return /^- (.*)$/m.exec(part)?.[1];
}
