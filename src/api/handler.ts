import type * as z from "zod";
import type { Access, Client } from "./access.ts";
import type { Contract, RouteName } from "./contract/contract.ts";
import type { Role } from "./contract/roles.ts";
import type { Scope } from "./contract/route.ts";
import type { LiveHub } from "./live/live-hub.ts";
import type { Change } from "../ledger/index.ts";
import type { ResolveRun } from "./selections/resolve-run.ts";
import type { Selections } from "./selections/selections.ts";
import type { ApiServices, Fixed } from "./services.ts";

/** The person or program that sends a request. */
export interface Caller {
  /**
   * How the caller was authenticated. `loopback`: no proof was required; `nobody`: no proof, and
   * the route is public.
   */
  readonly by: "token" | "session" | "loopback" | "nobody";
  readonly user: string;
  /**
   * The person who runs the server: authenticated by the folder's token, a link made with it, or an
   * open loopback. A user with the same name is a different person.
   */
  readonly isOwner: boolean;
  /** The role of a user. Undefined for a token or for the person who runs the server. */
  readonly role: Role | undefined;
  readonly scopes: readonly Scope[];
  /** The caller has confirmed their identity recently. Never true for the token of a program. */
  readonly isFresh: boolean;
  /** How the caller can confirm their identity again. */
  readonly confirmBy: "password" | "provider" | undefined;
  readonly sessionId: string | undefined;
  /** Fires when the session or the token has ended. */
  readonly ended: AbortSignal;
  /** The network address of the client. */
  readonly address: string;
}

export interface RouteContext extends ApiServices {
  readonly caller: Caller;
  readonly requestId: string;
  /** Fires when the client has disconnected or has lost its access. */
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly access: Access;
  /** True if an identity provider is configured. */
  readonly hasProvider: boolean;
  /**
   * Sets the session cookie; undefined removes it. `user`: the person who signed in, for the audit
   * log.
   */
  readonly setSession: (secret: string | undefined, user?: string) => void;
  /** Makes the link by which a user chooses a password, once. */
  readonly makeInviteLink: (user: string, code: string) => string;
  /** Makes a link that opens the dashboard once. */
  readonly makeLink: () => string;
  readonly live: LiveHub;
  readonly selections: {
    /** Selections of companies, by target. */
    readonly companies: Selections<string, Change>;
    /** Selections of tasks, by id. */
    readonly tasks: Selections<number>;
  };
  readonly resolving: ResolveRun;
  /** Sent by a viewer that reconnects. */
  readonly lastEventId: string | undefined;
}

/** A response that is generated while it is sent. */
export interface FileAnswer {
  readonly fileName: string;
  /** The media type. */
  readonly type: string;
  /** `write` resolves when there is room for more. Returns the number of rows. */
  readonly run: (write: (text: string) => Promise<void>) => Promise<number>;
}

type PartOf<R, K extends string> = R extends { readonly [key in K]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** The input of a handler; every part is validated. */
export interface HandlerInput<R> {
  readonly params: PartOf<R, "params">;
  readonly query: PartOf<R, "query">;
  readonly body: PartOf<R, "body">;
}

type Answered<R extends { readonly answer: z.ZodType }> = R extends { readonly sends: "events" }
  ? ReadableStream<Uint8Array>
  : R extends { readonly sends: "file" }
    ? FileAnswer
    : Fixed<z.input<R["answer"]>>;

export type RouteHandler<R extends { readonly answer: z.ZodType }> = (
  input: HandlerInput<R>,
  context: RouteContext,
) => Promise<Answered<R>>;

/** Requires a handler for each of these routes: the compiler reports a missing one. */
export type HandlersOf<Routes extends Partial<Contract>> = {
  readonly [N in keyof Routes & RouteName]: RouteHandler<Contract[N]>;
};

export type Handlers = HandlersOf<Contract>;
