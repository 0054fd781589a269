import type * as z from "zod";
import type { Access, Client } from "./access.ts";
import type { Contract, RouteName } from "./contract/contract.ts";
import type { Role } from "./contract/roles.ts";
import type { Scope } from "./contract/route.ts";
import type { LiveHub } from "./live/live-hub.ts";
import type { Change } from "../ledger/index.ts";
import type { Selections } from "./selections/selections.ts";
import type { ApiServices, Fixed } from "./services.ts";

/** Who asks. */
export interface Caller {
  /** How they proved it; `loopback`: nobody had to; `nobody`: they did not, and the route is public. */
  readonly by: "token" | "session" | "loopback" | "nobody";
  readonly user: string;
  /**
   * The person who runs the server: by the folder's token, a link made with it, or an open loopback. A
   * user may have the same name, and is somebody else.
   */
  readonly isOwner: boolean;
  /** Of a user. Undefined: a token, or the person who runs the server. */
  readonly role: Role | undefined;
  readonly scopes: readonly Scope[];
  /** They proved lately who they are. Never true of a token made for a program. */
  readonly isFresh: boolean;
  /** Where they can prove it again. */
  readonly confirmBy: "password" | "provider" | undefined;
  readonly sessionId: string | undefined;
  /** Fires when the session or the token has ended. */
  readonly ended: AbortSignal;
  /** The network address that the request came from. */
  readonly address: string;
}

export interface RouteContext extends ApiServices {
  readonly caller: Caller;
  readonly requestId: string;
  /** Fires when the client has gone, or may no longer ask. */
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly access: Access;
  /** There is an identity provider to sign in with. */
  readonly hasProvider: boolean;
  /** Sets the session cookie; undefined: removes it. `user`: who has signed in, for the audit log. */
  readonly setSession: (secret: string | undefined, user?: string) => void;
  /** Where a user chooses a password, once. */
  readonly makeInviteLink: (user: string, code: string) => string;
  /** Makes a link that opens the dashboard once. */
  readonly makeLink: () => string;
  readonly live: LiveHub;
  readonly selections: {
    /** By target. */
    readonly companies: Selections<string, Change>;
    /** By id. */
    readonly tasks: Selections<number>;
  };
  /** Of a viewer that comes back. */
  readonly lastEventId: string | undefined;
}

/** An answer that is written while it is sent. */
export interface FileAnswer {
  readonly fileName: string;
  /** The media type. */
  readonly type: string;
  /** `write` resolves when there is room for more. Returns how many rows were written. */
  readonly run: (write: (text: string) => Promise<void>) => Promise<number>;
}

type PartOf<R, K extends string> = R extends { readonly [key in K]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** What a handler gets: every part was checked. */
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

/** A handler for each of these routes: the compiler finds the one that is missing. */
export type HandlersOf<Routes extends Partial<Contract>> = {
  readonly [N in keyof Routes & RouteName]: RouteHandler<Contract[N]>;
};

export type Handlers = HandlersOf<Contract>;
