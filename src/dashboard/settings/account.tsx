import { useSignal } from "@preact/signals";
import { api, type RowOf } from "../data/api.ts";
import { timeOf } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { may, session } from "../data/session.ts";
import { Icon } from "../parts/icon.tsx";
import { PasswordField } from "../parts/password-field.tsx";
import { Problem } from "../parts/problem.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import { signOut } from "../sign-in/sign-in.tsx";

/** The signed-in user, the password form, the sessions, and signing out. */
export function Account() {
  return (
    <>
      <div class="grid">
        <Sessions />
        <div class="stack">
          <You />
          {session.value?.by === "session" && session.value.role !== null && <ChangePassword />}
        </div>
      </div>
      <Same command="forager api GET /api/sessions" api="GET /api/sessions" />
    </>
  );
}

function You() {
  const you = session.value;
  if (!you) return null;
  return (
    <section class="card" aria-label="You">
      <header>
        <h2>
          <Text value={you.user} max={60} />
        </h2>
        {you.role !== null && <span class="pill">{you.role}</span>}
      </header>
      <div class="stack">
        <p class="dim">
          {you.by === "loopback"
            ? "No sign-in is needed: the server accepts requests from this machine only."
            : you.role === null
              ? "Signed in with a one-time link from this machine: you have all rights."
              : "Signed in with a password."}
        </p>
        <p>
          You may:{" "}
          {you.scopes.map((scope) => (
            <span class="pill quiet tag" key={scope}>
              {scope}
            </span>
          ))}
        </p>
        {you.by === "session" && (
          <div class="row">
            <button class="btn" onClick={() => void signOut()}>
              Sign out
            </button>
            <button class="btn" onClick={() => void signOut({ isEverywhere: true })}>
              Sign out everywhere
            </button>
          </div>
        )}
      </div>
    </section>
  );
}

function ChangePassword() {
  const old = useSignal("");
  const next = useSignal("");
  const problem = useSignal("");
  const change = async (event: Event) => {
    event.preventDefault();
    problem.value = "";
    try {
      await api.send("PUT", "/api/session/password", {
        body: { old: old.value, password: next.value },
      });
      old.value = next.value = "";
      showToast("The password is changed. Your other sessions have ended.");
    } catch (error) {
      problem.value = failureText(error, "the password was not changed");
    }
  };
  return (
    <section class="card" aria-label="Password">
      <header>
        <h2>Change your password</h2>
      </header>
      <form class="stack" onSubmit={(event) => void change(event)}>
        <PasswordField label="Current password" value={old} autocomplete="current-password" />
        <PasswordField
          label="New password, at least 12 characters"
          value={next}
          autocomplete="new-password"
        />
        <Problem title="Not changed" text={problem.value} />
        <div class="row">
          <button class="btn">Change password</button>
        </div>
      </form>
    </section>
  );
}

const ways = {
  link: "one-time link",
  password: "password",
  oidc: "your organisation",
} as const;

/** Once a session has ended, it cannot read or change anything. */
function Sessions() {
  const sessions = useResource("sessions", (signal) => api.get("/api/sessions", { signal }));
  const end = async (id: string) => {
    try {
      await api.send("DELETE", "/api/sessions/{id}", { params: { id } });
      showToast("The session has ended");
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
    sessions.reload();
  };
  return (
    <section class="card" aria-label="Sessions">
      <header>
        <h2>{may("users:admin") ? "All sessions" : "Your sessions"}</h2>
      </header>
      <Loaded from={sessions}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Notice icon="info" title="No user is signed in">
              <p>
                Let others in: <code>forager user add NAME</code>
              </p>
            </Notice>
          ) : (
            <table class="cards">
              <thead>
                <tr>
                  <th>Who</th>
                  <th>From</th>
                  <th>Signed in</th>
                  <th>Last used</th>
                  <th>
                    <span class="for-readers">End</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <SessionLine key={row.id} row={row} onEnd={() => void end(row.id)} />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </section>
  );
}

interface SessionLineProps {
  readonly row: RowOf<"/api/sessions">;
  readonly onEnd: () => void;
}

function SessionLine({ row, onEnd }: SessionLineProps) {
  return (
    <tr>
      <td data-label="Who">
        <span>
          <b>
            <Text value={row.user} max={40} />
          </b>{" "}
          {row.role !== null && <span class="pill quiet">{row.role}</span>}{" "}
          {row.isOwn && <span class="pill">this one</span>}
        </span>
      </td>
      <td data-label="From">
        <span>
          <Text value={row.address} max={60} />
          <br />
          <small class="dim">
            <Text value={row.agent} max={80} />
          </small>
        </span>
      </td>
      <td data-label="Signed in">
        <span>
          <Ago atMs={timeOf(row.startedAt)} />
          <br />
          <small class="dim">by {ways[row.by]}</small>
        </span>
      </td>
      <td data-label="Last used" class="nowrap">
        <Ago atMs={timeOf(row.usedAt)} />
      </td>
      <td class="n">
        {!row.isOwn && (
          <button class="btn small" onClick={onEnd} aria-label={`End the session of ${row.user}`}>
            <Icon name="x" /> End
          </button>
        )}
      </td>
    </tr>
  );
}
