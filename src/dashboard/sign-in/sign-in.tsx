import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { api, ApiError } from "../data/api.ts";
import { failureText, useResource } from "../data/resource.ts";
import { shownText } from "../data/safe-text.ts";
import { PasswordField } from "../parts/password-field.tsx";
import { Problem } from "../parts/problem.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";

/** The sign-in form. */
export function SignIn() {
  const ways = useResource("login", (signal) => api.get("/api/login", { signal }));
  return (
    <Page title="Sign in">
      <Loaded from={ways}>
        {({ password, provider }) => (
          <>
            {provider && (
              <a class="btn go" href="/login/provider">
                Sign in with your organisation
              </a>
            )}
            {password && <PasswordForm />}
            {!password && !provider && (
              <Notice icon="info" title="You are not signed in">
                <p>
                  Run <code>forager dashboard</code> on the machine of the server. It prints a link
                  that opens this page.
                </p>
              </Notice>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function PasswordForm() {
  const user = useSignal("");
  const password = useSignal("");
  return (
    <EnterForm
      button="Sign in"
      send={() =>
        api.send("POST", "/api/login", {
          body: { user: user.value.trim(), password: password.value },
        })
      }
    >
      <label class="field-label">
        Name
        <input
          required
          autoFocus
          autocomplete="username"
          autocapitalize="none"
          maxLength={64}
          value={user.value}
          onInput={(event) => (user.value = event.currentTarget.value)}
        />
      </label>
      <PasswordField label="Password" value={password} autocomplete="current-password" />
    </EnterForm>
  );
}

/** Opened by a one-time link: `/welcome#NAME/CODE`. Browsers do not send what follows the #. */
export function Welcome() {
  const [, name = "", code = ""] = /^#([^/]+)\/(\w+)$/.exec(location.hash) ?? [];
  const user = decodeURIComponent(name);
  const password = useSignal("");
  return (
    <Page title={`Welcome, ${shownText(user, 64)}`}>
      <p>
        Choose a password of at least 12 characters: several words that do not belong together are
        easy to remember.
      </p>
      <EnterForm
        button="Set the password"
        send={() =>
          api.send("POST", "/api/login/link", { body: { user, code, password: password.value } })
        }
      >
        <PasswordField label="New password" value={password} autocomplete="new-password" />
      </EnterForm>
    </Page>
  );
}

interface EnterFormProps {
  readonly button: string;
  readonly send: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

/** Sends the form, and opens the dashboard with the session that the response has set. */
function EnterForm({ button, send, children }: EnterFormProps) {
  const problem = useSignal("");
  const isSending = useSignal(false);
  const isWaiting = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    isSending.value = true;
    problem.value = "";
    try {
      await sendInTurn(send, () => (isWaiting.value = true));
      location.assign("/");
    } catch (error) {
      problem.value = failureText(error, "you are not signed in");
      isSending.value = isWaiting.value = false;
    }
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      {children}
      <Problem title="Not signed in" text={problem.value} />
      {isWaiting.value && (
        <p role="status">
          Many sign-ins are attempted at this moment, perhaps by somebody who guesses passwords.
          This page tries again every second until it is its turn. Leave it open.
        </p>
      )}
      <div class="row">
        <button class="btn go" disabled={isSending.value}>
          {button}
        </button>
      </div>
    </form>
  );
}

/** About the longest line of callers that a server puts ahead of one who keeps trying. */
const turnsMax = 600;

/** Repeats the request every second until it is this caller's turn: docs/guides/users.md. */
async function sendInTurn(send: () => Promise<unknown>, onWait: () => void): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await send();
      return;
    } catch (error) {
      const isBusy = error instanceof ApiError && error.problem.code === "sign_in_busy";
      if (!isBusy || tries === turnsMax) throw error;
      onWait();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

function Page({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <main id="main" class="sign-in" tabIndex={-1}>
      <h1>{title}</h1>
      {children}
    </main>
  );
}

/** Ends the session on the server, then shows the sign-in form. */
export async function signOut({ isEverywhere = false } = {}): Promise<void> {
  await api.send("POST", "/api/session/logout", { body: { everywhere: isEverywhere } });
  location.assign("/sign-in");
}
