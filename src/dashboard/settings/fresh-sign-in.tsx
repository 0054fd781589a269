import { signal, useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { failureOf } from "../data/resource.ts";
import { loadSession, session } from "../data/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogForm } from "../parts/dialog-form.tsx";
import { PasswordField } from "../parts/password-field.tsx";

/** The action that waits until the user has typed the password. */
const waiting = signal<{ readonly resolve: (isProved: boolean) => void } | undefined>(undefined);

/**
 * Users and tokens can be changed only within 15 minutes after typing the password. If the server
 * asks for it, this shows a password dialog and then sends the request again. Returns undefined if
 * the user cancels.
 */
export async function withFreshSignIn<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== "problem" || failure.code !== "fresh_login_needed") throw error;
  }
  const isProved = await new Promise<boolean>((resolve) => (waiting.value = { resolve }));
  waiting.value = undefined;
  return isProved ? await ask() : undefined;
}

/** Shown while something waits for a fresh sign-in. */
export function FreshSignIn() {
  if (!waiting.value) return null;
  const { resolve } = waiting.value;
  return session.value?.confirmBy === "provider" ? (
    <AskProvider answer={resolve} />
  ) : (
    <AskPassword answer={resolve} />
  );
}

/**
 * For users without a password here: they sign in again at the identity provider, which returns
 * them to the dashboard.
 */
function AskProvider({ answer }: { readonly answer: (isProved: boolean) => void }) {
  return (
    <Dialog title="Sign in again" onClose={() => answer(false)}>
      <div class="stack">
        <p class="dim">
          Users can be changed and companies forgotten only within 15 minutes after you signed in.
          Your identity provider asks you again, then the dashboard opens: repeat the change there.
        </p>
        <div class="row">
          <a class="btn go" href="/login/provider?fresh=1">
            Sign in again
          </a>
          <button class="btn" onClick={() => answer(false)}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function AskPassword({ answer }: { readonly answer: (isProved: boolean) => void }) {
  const password = useSignal("");
  const prove = async () => {
    await api.send("POST", "/api/session/confirm", { body: { password: password.value } });
    void loadSession();
    answer(true);
    return undefined;
  };
  return (
    <DialogForm
      title="Enter your password"
      button="Continue"
      failure={["Not done", "nothing was changed"]}
      onSend={prove}
      onClose={() => answer(false)}
    >
      <p class="dim">
        Users and tokens can be changed only within 15 minutes after you typed your password.
      </p>
      <PasswordField label="Password" value={password} autocomplete="current-password" isFirst />
    </DialogForm>
  );
}
