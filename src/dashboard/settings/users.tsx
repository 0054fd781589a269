import { useSignal } from "@preact/signals";
import { api, type RowOf } from "../data/api.ts";
import { timeOf } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { shownText } from "../data/safe-text.ts";
import { session } from "../data/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogForm } from "../parts/dialog-form.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import { withFreshSignIn } from "./fresh-sign-in.tsx";
import { ShownOnce } from "./shown-once.tsx";

type User = RowOf<"/api/users">;
type Role = User["role"];

/** The rights that each role has in addition to the role before it. */
const roles: readonly (readonly [Role, string])[] = [
  ["viewer", "sees everything, cannot export"],
  ["editor", "also changes companies and campaigns, and exports"],
  ["operator", "also controls the queue, nodes and webhooks"],
  ["admin", "also manages users and all tokens, and reads the audit log"],
];

export function Users() {
  const users = useResource("users", (signal) => api.get("/api/users", { signal }));
  const isAdding = useSignal(false);
  const removed = useSignal<string | undefined>(undefined);
  const invited = useSignal<{ readonly name: string; readonly link: string } | undefined>(
    undefined,
  );
  const act = async (ask: () => Promise<unknown>, text: string) => {
    try {
      if ((await withFreshSignIn(ask)) === undefined) return;
      showToast(text);
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
    users.reload();
  };
  const setRole = (user: string, role: Role) =>
    act(() => api.send("PATCH", "/api/users/{user}", { params: { user }, body: { role } }), `${user} is ${role} now; their sessions have ended`); // prettier-ignore
  const invite = (user: string) =>
    act(async () => {
      const { link } = await api.send("POST", "/api/users/{user}/link", { params: { user } });
      invited.value = { name: user, link };
      return link;
    }, "A new link was made");
  return (
    <>
      <section class="card" aria-label="Users">
        <header>
          <h2>Users</h2>
          <span class="sp" />
          <button class="btn" onClick={() => (isAdding.value = true)}>
            <Icon name="plus" /> Add a user
          </button>
        </header>
        <Loaded from={users}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Notice icon="info" title="There are no users">
                <p>
                  Only the owner of the server can sign in. Add a user here, or run{" "}
                  <code>forager user add NAME --role admin</code>
                </p>
              </Notice>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th>User</th>
                    <th>Role</th>
                    <th>Password</th>
                    <th>Added</th>
                    <th>
                      <span class="for-readers">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((user) => (
                    <UserLine
                      key={user.name}
                      user={user}
                      onRole={(role) => void setRole(user.name, role)}
                      onInvite={() => void invite(user.name)}
                      onRemove={() => (removed.value = user.name)}
                    />
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
      <Same command="forager user list" api="GET /api/users" />
      {isAdding.value && (
        <AddUser
          onClose={() => (isAdding.value = false)}
          onAdded={(name, link) => {
            isAdding.value = false;
            invited.value = { name, link };
            users.reload();
          }}
        />
      )}
      {removed.value !== undefined && (
        <RemoveUser
          name={removed.value}
          onClose={() => (removed.value = undefined)}
          onConfirmed={(user) => {
            removed.value = undefined;
            void act(() => api.send("DELETE", "/api/users/{user}", { params: { user } }), `${user} is removed`); // prettier-ignore
          }}
        />
      )}
      {invited.value && (
        <ShownOnce
          title={`A link for ${invited.value.name}`}
          text="Send it in a way that only they can read. It works once, within 24 hours, and lets them choose a password."
          secret={invited.value.link}
          onClose={() => (invited.value = undefined)}
        />
      )}
    </>
  );
}

interface UserLineProps {
  readonly user: User;
  readonly onRole: (role: Role) => void;
  readonly onInvite: () => void;
  readonly onRemove: () => void;
}

function UserLine({ user, onRole, onInvite, onRemove }: UserLineProps) {
  const isYou = session.value?.user === user.name && session.value.role !== null;
  const linkUntilMs = user.linkUntil === null ? undefined : timeOf(user.linkUntil);
  return (
    <tr>
      <td data-label="User">
        <span>
          <b>
            <Text value={user.name} max={64} />
          </b>{" "}
          {isYou && <span class="pill quiet">you</span>}
        </span>
      </td>
      <td data-label="Role">
        {isYou ? (
          <span class="pill">{user.role}</span>
        ) : (
          <select
            aria-label={`Role of ${shownText(user.name, 64)}`}
            value={user.role}
            onChange={(event) => onRole(event.currentTarget.value as Role)}
          >
            {roles.map(([role, text]) => (
              <option key={role} value={role} title={text}>
                {role}
              </option>
            ))}
          </select>
        )}
      </td>
      <td data-label="Password">
        {user.hasPassword ? (
          "set"
        ) : linkUntilMs === undefined ? (
          <span class="dim">none; signs in another way</span>
        ) : (
          <span class="pill warn">
            link open, ends <Ago atMs={linkUntilMs} />
          </span>
        )}
      </td>
      <td data-label="Added" class="dim">
        <span>
          <Ago atMs={timeOf(user.createdAt)} /> by <Text value={user.createdBy} max={40} />
        </span>
      </td>
      <td class="n">
        <span class="row end">
          <button class="btn small" onClick={onInvite}>
            New link
          </button>
          {!isYou && (
            <button class="btn small" onClick={onRemove}>
              Remove
            </button>
          )}
        </span>
      </td>
    </tr>
  );
}

interface AddUserProps {
  readonly onClose: () => void;
  readonly onAdded: (name: string, link: string) => void;
}

function AddUser({ onClose, onAdded }: AddUserProps) {
  const name = useSignal("");
  const role = useSignal<Role>("viewer");
  const add = async () => {
    const body = { name: name.value.trim(), role: role.value };
    const made = await withFreshSignIn(() => api.send("POST", "/api/users", { body }));
    if (made) onAdded(made.user.name, made.link);
    return undefined;
  };
  return (
    <DialogForm
      title="Add a user"
      button="Add"
      failure={["Not added", "no user was added"]}
      onSend={add}
      onClose={onClose}
    >
      <label class="field-label">
        Name: lowercase letters, digits, dots and dashes
        <input
          required
          autoFocus
          autocapitalize="none"
          maxLength={64}
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <div class="stack tight" role="radiogroup" aria-label="Role">
        {roles.map(([one, text]) => (
          <label key={one} class="row choice">
            <input
              type="radio"
              name="role"
              checked={role.value === one}
              onChange={() => (role.value = one)}
            />
            <span>
              {one} <span class="dim">{text}</span>
            </span>
          </label>
        ))}
      </div>
    </DialogForm>
  );
}

interface RemoveUserProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onConfirmed: (name: string) => void;
}

function RemoveUser({ name, onClose, onConfirmed }: RemoveUserProps) {
  return (
    <Dialog title={`Remove ${name}`} onClose={onClose}>
      <div class="stack">
        <p>Their sessions, live pages and tokens end at once. Their changes to data are kept.</p>
        <div class="row">
          <button class="btn danger" onClick={() => onConfirmed(name)}>
            Remove {shownText(name, 64)}
          </button>
          <button class="btn" onClick={onClose}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}
