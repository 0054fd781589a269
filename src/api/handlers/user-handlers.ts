import type { Role } from "../contract/roles.ts";
import type { signInRoutes, userRoutes } from "../contract/user-routes.ts";
import type { Caller, HandlersOf, RouteContext } from "../handler.ts";
import { notFound, ProblemError } from "../problems.ts";
import { addToken, describeToken, revokeToken } from "../users/manage-tokens.ts";
import { addUser, describeUser, inviteUser, removeUser, setRole, type Invited } from "../users/manage-users.ts"; // prettier-ignore
import type { Session } from "../users/sessions.ts";
import type { SignedIn } from "../users/sign-in.ts";

const done = { done: true } as const;

/**
 * A user can have the same name as the person who runs the server, but their sessions are
 * different.
 */
const isTheirs =
  ({ user, isOwner }: Caller) =>
  (session: Session): boolean =>
    session.user === user && (session.by === "link") === isOwner;

const isAdmin = ({ caller }: RouteContext) => caller.scopes.includes("users:admin");

/** Sends the session cookie to the browser. */
function enter(
  context: RouteContext,
  { user, role, secret }: SignedIn,
): { user: string; role: Role } {
  context.setSession(secret, user);
  return { user, role };
}

/** For routes that only apply to users with a password. */
function ownUser({ caller }: RouteContext): string {
  if (caller.confirmBy === "password") return caller.user;
  const detail = "this is for users who signed in with a password; others sign in again at /login/provider?fresh=1"; // prettier-ignore
  throw new ProblemError(400, "no_user_session", detail);
}

export const signInHandlers: HandlersOf<typeof signInRoutes> = {
  showLogin: async (_, { access, hasProvider }) => ({
    password: (await access.accounts()).users.length > 0,
    provider: hasProvider,
  }),
  login: async ({ body }, context) =>
    enter(context, await context.access.signIn.login(body, context.client)),
  acceptLink: async ({ body }, context) =>
    enter(context, await context.access.signIn.accept(body, context.client)),
  async logout({ body }, context) {
    const { caller, access } = context;
    if (caller.sessionId !== undefined) access.sessions.end(caller.sessionId);
    if (body.everywhere) access.sessions.endWhere(isTheirs(caller));
    context.setSession(undefined);
    return done;
  },
  async confirmLogin({ body }, context) {
    const { access, caller, client } = context;
    const user = await access.signIn.prove({ user: ownUser(context), ...body }, client);
    const secret = access.sessions.renew(caller.sessionId!);
    if (secret === undefined) throw notFound("such session any more");
    return enter(context, { user: user.name, role: user.role, secret });
  },
  changePassword: async ({ body }, context) =>
    enter(context, await context.access.signIn.changePassword({ user: ownUser(context), ...body }, context.client)), // prettier-ignore
  async listSessions(_, context) {
    const { access, caller } = context;
    const own = access.sessions.list().filter((one) => isAdmin(context) || isTheirs(caller)(one));
    return {
      rows: own.map(({ id, user, role, by, address, agent, startedMs, usedMs }) => ({
        id,
        user,
        role: role ?? null,
        by,
        address,
        agent,
        startedAt: new Date(startedMs).toISOString(),
        usedAt: new Date(usedMs).toISOString(),
        isOwn: id === caller.sessionId,
      })),
    };
  },
  async endSession({ params }, context) {
    const { access, caller } = context;
    const found = access.sessions.list().find(({ id }) => id === params.id);
    if (!found || !(isAdmin(context) || isTheirs(caller)(found))) throw notFound("such session");
    access.sessions.end(params.id);
    return done;
  },
};

export const userHandlers: HandlersOf<typeof userRoutes> = {
  listUsers: async (_, { access }) => ({
    rows: (await access.accounts()).users.map(describeUser),
  }),
  addUser: async ({ body }, context) =>
    withLink(context, await addUser(context.access.tools, { ...body, by: context.caller.user })),
  setUserRole: async ({ params, body }, { access }) =>
    describeUser(await setRole(access.tools, params.user, body.role)),
  makeUserLink: async ({ params }, context) =>
    withLink(context, await inviteUser(context.access.tools, params.user)),
  async removeUser({ params }, { access }) {
    await removeUser(access.tools, params.user);
    return done;
  },
  async listTokens(_, context) {
    const { access, caller } = context;
    const { tokens } = await access.accounts();
    const own = tokens.filter(({ user }) => isAdmin(context) || user === caller.user);
    return { rows: own.map(describeToken) };
  },
  async addToken({ body }, context) {
    const { caller, access } = context;
    if (caller.confirmBy === "provider") {
      const detail = "people of an identity provider cannot own tokens, which would outlive their account there: the operator makes one with `forager token add`"; // prettier-ignore
      throw new ProblemError(403, "no_tokens_for_provider", detail);
    }
    // A token that is made by the person who runs the server belongs to the fleet.
    const user = caller.isOwner ? undefined : caller.user;
    const { token, secret } = await addToken(access.tools, { ...body, user, by: caller.user });
    return { ...describeToken(token), token: secret };
  },
  async revokeToken({ params }, context) {
    const { access, caller } = context;
    await revokeToken(access.tools, params.id, isAdmin(context) ? undefined : caller.user);
    return done;
  },
};

const withLink = ({ makeInviteLink }: RouteContext, { user, code }: Invited) => ({
  user: describeUser(user),
  link: makeInviteLink(user.name, code),
});
