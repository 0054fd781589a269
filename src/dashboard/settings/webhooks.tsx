import { useSignal } from "@preact/signals";
import { api, type RowOf } from "../data/api.ts";
import { timeOf } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { Checks } from "../parts/checks.tsx";
import { DialogForm } from "../parts/dialog-form.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import { ShownOnce } from "./shown-once.tsx";

type Webhook = RowOf<"/api/webhooks">;
const eventTypes = [
  "job.completed",
  "campaign.finished",
  "budget.reached",
  "export.ready",
] as const;
type EventType = (typeof eventTypes)[number];

/** The webhooks that events are sent to. */
export function Webhooks() {
  const webhooks = useResource("webhooks", (signal) => api.get("/api/webhooks", { signal }));
  const isAdding = useSignal(false);
  const secret = useSignal<string | undefined>(undefined);
  const act = async (ask: () => Promise<string>) => {
    try {
      showToast(await ask());
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
    webhooks.reload();
  };
  return (
    <>
      <section class="card" aria-label="Webhooks">
        <header>
          <h2>Webhooks</h2>
          <a class="accent" href="/activity?tab=deliveries">
            what was sent
          </a>
          <span class="sp" />
          <button class="btn" onClick={() => (isAdding.value = true)}>
            <Icon name="plus" /> Add a webhook
          </button>
        </header>
        <Loaded from={webhooks}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Notice icon="external-link" title="No webhooks">
                <p>
                  A webhook notifies another program when a campaign is finished or an export is
                  ready. Add one here, or run <code>forager webhook add URL</code>
                </p>
              </Notice>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th>Where</th>
                    <th>Events</th>
                    <th>State</th>
                    <th>Added</th>
                    <th>
                      <span class="for-readers">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <WebhookLine
                      key={row.id}
                      row={row}
                      act={act}
                      onSecret={(text) => (secret.value = text)}
                    />
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
      <Same command="forager webhook list" api="GET /api/webhooks" />
      {isAdding.value && (
        <AddWebhook
          onClose={() => (isAdding.value = false)}
          onAdded={(text) => {
            isAdding.value = false;
            secret.value = text ?? undefined;
            webhooks.reload();
          }}
        />
      )}
      {secret.value !== undefined && (
        <ShownOnce
          title="The secret of the webhook"
          text="The receiver uses it to verify that messages come from this server (Standard Webhooks)."
          secret={secret.value}
          onClose={() => (secret.value = undefined)}
        />
      )}
    </>
  );
}

interface WebhookLineProps {
  readonly row: Webhook;
  readonly act: (ask: () => Promise<string>) => Promise<void>;
  readonly onSecret: (secret: string) => void;
}

function WebhookLine({ row, act, onSecret }: WebhookLineProps) {
  const isAsked = useSignal(false);
  const params = { webhook: row.id };
  const test = () =>
    act(async () => {
      const { status, isTaken } = await api.send("POST", "/api/webhooks/{webhook}/test", { params }); // prettier-ignore
      return isTaken ? `The receiver accepted it (${status})` : `The receiver answered ${status}`;
    });
  const rotate = () =>
    act(async () => {
      const made = await api.send("POST", "/api/webhooks/{webhook}/secret", { params, body: {} });
      if (made.secret !== null) onSecret(made.secret);
      return "For a day, messages are signed with the old and the new secret";
    });
  const enable = () =>
    act(async () => {
      await api.send("POST", "/api/webhooks/{webhook}/enable", { params });
      return "The webhook is enabled";
    });
  const remove = () =>
    act(async () => {
      await api.send("DELETE", "/api/webhooks/{webhook}", { params });
      return "The webhook is removed";
    });
  return (
    <tr>
      <td data-label="Where">
        <a href={`/activity?tab=deliveries&webhook=${encodeURIComponent(row.id)}`}>
          <b>
            <Text value={row.url} max={120} />
          </b>
        </a>
      </td>
      <td data-label="Events">{row.events.length === 0 ? "all" : row.events.join(", ")}</td>
      <td data-label="State">
        {row.disabled === null ? (
          <span class="pill">in use</span>
        ) : (
          <span class="pill bad">
            disabled: <Text value={row.disabled.reason} max={120} />
          </span>
        )}
      </td>
      <td data-label="Added" class="nowrap dim">
        <Ago atMs={timeOf(row.createdAt)} />
      </td>
      <td class="n">
        <span class="row end">
          {row.disabled !== null && (
            <button class="btn small" onClick={() => void enable()}>
              Enable
            </button>
          )}
          <button class="btn small" onClick={() => void test()}>
            Test
          </button>
          <button class="btn small" onClick={() => void rotate()}>
            New secret
          </button>
          {isAsked.value ? (
            <button class="btn small danger" onClick={() => void remove()}>
              Really remove
            </button>
          ) : (
            <button class="btn small" onClick={() => (isAsked.value = true)}>
              Remove
            </button>
          )}
        </span>
      </td>
    </tr>
  );
}

interface AddWebhookProps {
  readonly onClose: () => void;
  readonly onAdded: (secret: string | null) => void;
}

function AddWebhook({ onClose, onAdded }: AddWebhookProps) {
  const url = useSignal("");
  const events = useSignal<ReadonlySet<EventType>>(new Set());
  const add = async () => {
    const body = { url: url.value.trim(), events: [...events.value] };
    onAdded((await api.send("POST", "/api/webhooks", { body })).secret);
    return undefined;
  };
  return (
    <DialogForm
      title="Add a webhook"
      button="Add"
      failure={["Not added", "nothing was added"]}
      onSend={add}
      onClose={onClose}
    >
      <label class="field-label">
        URL
        <input
          required
          autoFocus
          type="url"
          maxLength={1_000}
          placeholder="https://crm.example/hooks/forager"
          value={url.value}
          onInput={(event) => (url.value = event.currentTarget.value)}
        />
      </label>
      <Checks legend="Events (choose none to receive all)" items={eventTypes} chosen={events} />
    </DialogForm>
  );
}
