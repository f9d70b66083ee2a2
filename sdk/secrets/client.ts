import { z } from "zod";
import { readShape } from "../http/contract";
import { type Advice, ContractError, ServiceError, TriviumError, withAdvice } from "../base/errors";
import type { Path } from "../base/path";
import type { Dialect } from "../base/settings";
import type { ServiceClock } from "../http/service-clock";
import { longestPart, showable } from "../base/shown-text";
import type { HttpResponse, Operation, Transport } from "../http/transport";
import { builtOnce } from "../base/validation";
import type { Caller } from "../base/caller";
import type { Validation } from "../base/validation";
import { nameInResponse } from "../resource/fields/schemas";
import { assertAbout, type Content, contentOf, isAbsent, type Lease, namesOf, notOffered } from "./response";
import type { ServiceProtocol } from "../connection/service";
import { type SecretsDialect, secretsDialects } from "./dialect";

/**
 * After Ctrl-C a write may still complete, so that its outcome is known; the CLI exits within five seconds.
 */
const writeGrace = 2500;
/** How long, in milliseconds, there is then to look for what the write has left. */
const lastLook = 1500;
/** How many warnings of one response are shown. */
const mostWarnings = 10;

/** One request. */
export interface SecretsRequest {
  /** What is attempted, starting with a verb. */
  readonly summary: string;
  readonly path: Path;
  /** What to do next if the service returns an error, where the request knows better than its status. */
  readonly advice?: Advice;
}

/** A list. */
export interface ListRequest extends SecretsRequest {
  /** In the documented dialect the list is a plain `GET`, without `list=true`. */
  readonly isPlain?: true | undefined;
}

/** What the data of a response looks like; members that it does not name are ignored. */
export interface WithData<Shape extends z.ZodType> {
  readonly data: (z: Validation, dialect: Dialect) => Shape;
}

/** Something that the service has issued, and how long it lives. */
export interface Issued<Data> {
  readonly data: Data;
  readonly lease: Lease;
}

/** What all clients of one connection share. */
export class SharedState {
  private readonly parts = new Map<new () => unknown, unknown>();

  constructor(
    readonly dialect: SecretsDialect,
    readonly clock: ServiceClock,
  ) {}

  /** The instance of a class, created on first use. */
  part<Part>(kind: new () => Part): Part {
    const known = this.parts.get(kind);
    if (known !== undefined) {
      return known as Part;
    }
    const part = new kind();
    this.parts.set(kind, part);
    return part;
  }
}

/** The client of the secrets service: envelopes, lists, leases, and the meaning of an empty response. */
export class SecretsClient {
  constructor(
    private readonly transport: Transport,
    readonly caller: Caller,
    private readonly shared: SharedState,
  ) {}

  /** How this service speaks. */
  get dialect(): SecretsDialect {
    return this.shared.dialect;
  }

  /** The service's clock, as its responses tell. */
  get clock(): ServiceClock {
    return this.shared.clock;
  }

  /** Reads the time of the service from any response. */
  async askTime(request: SecretsRequest): Promise<void> {
    try {
      await this.send({ ...request, method: "GET", idempotent: true, accept: [404] });
    } catch (error) {
      if (!ServiceError.isInstance(error)) {
        throw error;
      }
    }
  }

  /** State that all requests of this process share, such as a queue or a list: one instance per class. */
  part<Part>(kind: new () => Part): Part {
    return this.shared.part(kind);
  }

  /** This client, with requests on behalf of another caller. */
  onBehalfOf(caller: Caller): SecretsClient {
    return new SecretsClient(this.transport, caller, this.shared);
  }

  /** This client, to find out the outcome of a request: it still works for a moment after Ctrl-C. */
  afterwards(): SecretsClient {
    return this.caller.signal.aborted
      ? this.onBehalfOf({ ...this.caller, signal: AbortSignal.timeout(lastLook) })
      : this;
  }

  /**
   * Reads an object.
   *
   * @param request.ifNotOffered what it means that the service has no such path at all. Default: that there is no
   *   such object
   * @param request.id the data may not be about an object with another id; it may leave out about which it is
   * @returns `undefined` when there is no such object
   */
  async read<Shape extends z.ZodType>(
    request: SecretsRequest & WithData<Shape> & { readonly ifNotOffered?: string; readonly id?: string },
  ): Promise<z.output<Shape> | undefined> {
    const response = await this.send({ ...request, method: "GET", idempotent: true, accept: [404] });
    if (request.ifNotOffered !== undefined) {
      assertOffered(response, request.summary, request.ifNotOffered);
    }
    if (isAbsent(response)) {
      return undefined;
    }
    if (request.id !== undefined) {
      assertAbout(response, request.id);
    }
    return this.shaped(response, request.data);
  }

  /**
   * The names in a list; the service returns an empty one as if there were none.
   *
   * @throws TriviumError when the service says that it has no such list at all
   */
  async list(request: ListRequest): Promise<string[]> {
    const { names } = await this.listData(request);
    return names;
  }

  /** As {@link list}, with the data of the response itself: some services tell more there than the names. */
  async listData(request: ListRequest): Promise<{ readonly names: string[]; readonly data: unknown }> {
    const { summary, path, isPlain = false } = request;
    const query = isPlain && this.dialect.name === "documented" ? {} : { list: true };
    const operation: Operation = { summary, path, query, method: "GET", idempotent: true, accept: [404] };
    const response = await this.send(operation);
    assertOffered(response, summary, "Check the mount, its engine type and the namespace.");
    if (isAbsent(response)) {
      return { names: [], data: undefined };
    }
    const { data } = this.open(response);
    const names = namesOf(data);
    if (names === undefined) {
      throw new ContractError({ request: response.request, at: "data.keys", problem: "expected a list" });
    }
    return { names: readShape(namesShape(z), names, "data.keys", response.request), data };
  }

  /**
   * Writes an object. Idempotent.
   *
   * @returns `undefined` if the response has no data
   */
  async write<Shape extends z.ZodType = z.ZodUnknown>(
    request: SecretsRequest & Partial<WithData<Shape>> & { readonly body: unknown },
  ): Promise<z.output<Shape> | undefined> {
    const response = await this.send({ ...request, method: "POST", idempotent: true });
    return this.optional(response, request.data);
  }

  /**
   * Triggers an action that is not idempotent, so it is only retried if the service has certainly not
   * processed it.
   *
   * @returns `undefined` if the response has no data
   */
  async act<Shape extends z.ZodType>(
    request: SecretsRequest & WithData<Shape> & { readonly body?: unknown },
  ): Promise<z.output<Shape> | undefined> {
    const response = await this.send({ ...request, method: "POST", idempotent: false });
    return this.optional(response, request.data);
  }

  /** Issues something new with each call, even if the service uses GET for it. */
  async issue<Shape extends z.ZodType>(
    request: SecretsRequest & WithData<Shape> & { readonly method: "GET" | "POST"; readonly body?: unknown },
  ): Promise<Issued<z.output<Shape>>> {
    const response = await this.send({ ...request, idempotent: false, issues: true });
    const content = this.open(response);
    const data = this.shaped(response, request.data, content);
    const { durationSeconds } = content.lease;
    const { tokenSeconds = durationSeconds } = response;
    if (tokenSeconds < durationSeconds) {
      this.caller.announce(
        "warning",
        `It ends with the token of the login, in ${tokenSeconds} s, and not with its lease, in ` +
          `${durationSeconds} s. Raise the lifetime of the tokens of that login.`,
      );
    }
    // A lease ends with its token at the latest.
    return { data, lease: { ...content.lease, durationSeconds: Math.min(durationSeconds, tokenSeconds) } };
  }

  /**
   * Deletes an object; an absent object counts as deleted, also when the service failed while deleting it.
   */
  async delete(request: SecretsRequest): Promise<void> {
    try {
      isAbsent(await this.send({ ...request, method: "DELETE", idempotent: true, accept: [404] }));
    } catch (error) {
      if (!ServiceError.isInstance(error) || error.status < 500) {
        throw error;
      }
      const { path } = request;
      const look = { summary: "check whether the object was deleted", path, accept: [404] };
      if (!isAbsent(await this.send({ ...look, method: "GET", idempotent: true }))) {
        throw error;
      }
    }
  }

  private shaped<Shape extends z.ZodType>(
    response: HttpResponse,
    shape: WithData<Shape>["data"],
    { data } = this.open(response),
  ): z.output<Shape> {
    return readShape(shape(z, this.dialect.name), data, "data", response.request);
  }

  private optional<Shape extends z.ZodType>(
    response: HttpResponse,
    shape: WithData<Shape>["data"] | undefined,
  ): z.output<Shape> | undefined {
    const content = this.open(response);
    return content.data === undefined || shape === undefined
      ? undefined
      : this.shaped(response, shape, content);
  }

  private open(response: HttpResponse): Content {
    const content = contentOf(response);
    const { warnings } = content;
    for (const warning of warnings.slice(0, mostWarnings)) {
      this.caller.announce("warning", `The secrets service warns: ${showable(warning, longestPart)}`);
    }
    if (warnings.length > mostWarnings) {
      this.caller.announce(
        "warning",
        `The secrets service returned ${warnings.length - mostWarnings} more warnings.`,
      );
    }
    return content;
  }

  private async send({ advice, ...operation }: SecretsRequest & Operation): Promise<HttpResponse> {
    const { signal, progress } = this.caller;
    const changes = operation.method !== "GET" || operation.issues === true;
    const grace = changes ? { graceMilliseconds: writeGrace } : {};
    try {
      return await this.transport.send({ ...operation, ...grace, signal, progress });
    } catch (error) {
      throw withAdvice(error, advice);
    }
  }
}

const namesShape = builtOnce((z) => z.array(nameInResponse(z)));

/** That a service has no such path is not that there is no such object. */
function assertOffered(response: HttpResponse, summary: string, advice: string): void {
  const saying = notOffered(response);
  if (saying !== undefined) {
    throw new TriviumError(`Could not ${summary}: ${response.request} returned 404: ${saying}.`, { advice });
  }
}

/** How the secrets service is spoken to. */
export const secretsProtocol: ServiceProtocol<SecretsClient> = {
  authenticationHeader({ dialect, namespace }) {
    const { tokenHeader, namespaceHeader, requestHeaders } = secretsDialects[dialect];
    const more = namespace === undefined ? {} : { [namespaceHeader]: namespace };
    return (token) => ({ [tokenHeader]: token, ...requestHeaders, ...more });
  },
  login: () => (require("./login") as typeof import("./login")).secretsLogin,
  clients(transport, { dialect }, clock) {
    const shared = new SharedState(secretsDialects[dialect], clock);
    return (caller) => new SecretsClient(transport, caller, shared);
  },
};
