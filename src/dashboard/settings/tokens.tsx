import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { timeOf } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { session, type Session } from "../data/session.ts";
import { Checks } from "../parts/checks.tsx";
import { DialogForm } from "../parts/dialog-form.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import { withFreshSignIn } from "./fresh-sign-in.tsx";
import { ShownOnce } from "./shown-once.tsx";

/** API tokens of programs. Each is shown only once. */
export function Tokens() {
  const tokens = useResource("tokens", (signal) => api.get("/api/tokens", { signal }));
  const isAdding = useSignal(false);
  const made = useSignal<{ readonly name: string; readonly token: string } | undefined>(undefined);
  const revoke = async (id: string) => {
    try {
      const done = await withFreshSignIn(() => api.send("DELETE", "/api/tokens/{id}", { params: { id } })); // prettier-ignore
      if (done) showToast("The token is revoked and no longer works");
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
    tokens.reload();
  };
  return (
    <>
      <section class="card" aria-label="Tokens">
        <header>
          <h2>API tokens</h2>
          <span class="sp" />
          <button class="btn" onClick={() => (isAdding.value = true)}>
            <Icon name="plus" /> Create a token
          </button>
        </header>
        <Loaded from={tokens}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Notice icon="terminal" title="There are no tokens">
                <p>
                  Programs sign in with a token. Create one here, or run{" "}
                  <code>forager token add crm-sync --scope companies:read</code>
                </p>
              </Notice>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th>For</th>
                    <th>Scopes</th>
                    <th>Owner</th>
                    <th>Last used</th>
                    <th>Expires</th>
                    <th>
                      <span class="for-readers">Revoke</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.id}>
                      <td data-label="For">
                        <b>
                          <Text value={row.name} max={60} />
                        </b>
                      </td>
                      <td data-label="Scopes">
                        <Text value={row.scopes.join(", ")} max={300} />
                      </td>
                      <td data-label="Owner">
                        <Text value={row.user ?? "the fleet"} max={60} />
                      </td>
                      <td data-label="Last used" class="nowrap">
                        {row.usedAt === null ? (
                          <span class="dim">never</span>
                        ) : (
                          <Ago atMs={timeOf(row.usedAt)} />
                        )}
                      </td>
                      <td data-label="Expires" class="nowrap">
                        <Ago atMs={timeOf(row.expiresAt)} />
                      </td>
                      <td class="n">
                        <button class="btn small" onClick={() => void revoke(row.id)}>
                          Revoke
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
      <Same command="forager token list" api="GET /api/tokens" />
      {isAdding.value && (
        <AddToken
          onClose={() => (isAdding.value = false)}
          onMade={(name, token) => {
            isAdding.value = false;
            made.value = { name, token };
            tokens.reload();
          }}
        />
      )}
      {made.value && (
        <ShownOnce
          title={`The token for ${made.value.name}`}
          text="The program sends it as the header Authorization: Bearer TOKEN."
          secret={made.value.token}
          onClose={() => (made.value = undefined)}
        />
      )}
    </>
  );
}

interface AddTokenProps {
  readonly onClose: () => void;
  readonly onMade: (name: string, token: string) => void;
}

function AddToken({ onClose, onMade }: AddTokenProps) {
  const name = useSignal("");
  const days = useSignal("90");
  const scopes = useSignal<ReadonlySet<Session["scopes"][number]>>(new Set(["companies:read"]));
  /** A token cannot have the right to change users. */
  const offered = (session.value?.scopes ?? []).filter((scope) => scope !== "users:admin");
  const make = async () => {
    const body = { name: name.value.trim(), scopes: [...scopes.value], days: Number(days.value) };
    const made = await withFreshSignIn(() => api.send("POST", "/api/tokens", { body }));
    if (made) onMade(made.name, made.token);
    return undefined;
  };
  return (
    <DialogForm
      title="Create a token"
      button="Create"
      failure={["Not created", "no token was created"]}
      isReady={scopes.value.size > 0}
      onSend={make}
      onClose={onClose}
    >
      <label class="field-label">
        What it is for
        <input
          required
          autoFocus
          maxLength={100}
          placeholder="crm-sync"
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <Checks legend="What it may do" items={offered} chosen={scopes} />
      <label class="field-label">
        Valid for this many days
        <input
          required
          type="number"
          min={1}
          max={3_650}
          value={days.value}
          onInput={(event) => (days.value = event.currentTarget.value)}
        />
      </label>
    </DialogForm>
  );
}
