import { z } from "zod";
import { builtOnce, readShape, type Validation } from "../base/validation";
import { type Advice, ServiceError, TriviumError, withAdvice } from "../base/errors";
import { isObject } from "../base/json";
import type { Path } from "../base/path";
import type { Dialect } from "../base/settings";
import type { ServiceClock } from "../base/timing";
import { longestPart, showable } from "../base/shown-text";
import type { HttpResponse, Operation, Transport } from "../http/transport";
import type { Caller } from "../base/caller";
import { nameInResponse } from "../resource/fields/kinds";
import { firstProblems } from "../resource/lifecycle/check";
import { assertAbout, type Content, contentOf, isAbsent, type Lease } from "./response";
import type { ServiceProtocol } from "../connection/service";
import { type SecretsDialect, secretsDialects } from "./dialect";

/** After Ctrl-C a write may still complete, so that its outcome is known; the CLI exits within five seconds. */
const writeGrace = 2500;
/** After that, the time to look up what the write has done. */
const lastLook = 1500;

export interface SecretsRequest {
  /** Starts with a verb. */
  readonly summary: string;
  readonly path: Path;
  readonly advice?: Advice;
}

export interface ListRequest extends SecretsRequest {
  /** Documented as a plain `GET`, without `list=true`. */
  readonly isPlain?: true | undefined;
}

export interface WithData<Shape extends z.ZodType> {
  readonly data: (z: Validation, dialect: Dialect) => Shape;
}

export interface Issued<Data> {
  readonly data: Data;
  readonly lease: Lease;
}

interface SharedState {
  readonly dialect: SecretsDialect;
  readonly clock: ServiceClock;
  readonly parts: Map<new () => unknown, unknown>;
}

export class SecretsClient {
  constructor(
    private readonly transport: Transport,
    readonly caller: Caller,
    private readonly shared: SharedState,
  ) {}

  get dialect(): SecretsDialect {
    return this.shared.dialect;
  }

  get clock(): ServiceClock {
    return this.shared.clock;
  }

  /** Any response tells the time of the service, also an error. */
  async askTime(request: SecretsRequest): Promise<void> {
    await this.send({ ...request, method: "GET", idempotent: true }).catch((error: unknown) => {
      if (!ServiceError.isInstance(error)) {
        throw error;
      }
    });
  }

  /** State that all requests of this process share: one instance per class. */
  part<Part>(kind: new () => Part): Part {
    const { parts } = this.shared;
    const part = parts.get(kind) ?? new kind();
    parts.set(kind, part);
    return part as Part;
  }

  onBehalfOf(caller: Caller): SecretsClient {
    return new SecretsClient(this.transport, caller, this.shared);
  }

  /** To find out the outcome of a request: still works for a moment after Ctrl-C. */
  afterwards(): SecretsClient {
    return this.caller.signal.aborted
      ? this.onBehalfOf({ ...this.caller, signal: AbortSignal.timeout(lastLook) })
      : this;
  }

  /**
   * @param request.ifNotOffered the advice if the service has no such path. Default: the object counts as absent
   * @param request.id the data must not name another id
   */
  async read<Shape extends z.ZodType>(
    request: SecretsRequest & WithData<Shape> & { readonly ifNotOffered?: string; readonly id?: string },
  ): Promise<z.output<Shape> | undefined> {
    const { summary, ifNotOffered } = request;
    const response = await this.send({ ...request, method: "GET", idempotent: true, accept: [404] });
    if (ifNotOffered !== undefined) {
      assertOffered(response, summary, ifNotOffered);
    }
    if (isAbsent(response)) {
      return undefined;
    }
    assertAbout(response, request.id);
    return this.shaped(response, request.data);
  }

  /** The service returns an empty list as if there were none. */
  async list(request: ListRequest): Promise<string[]> {
    return (await this.listData(request)).names;
  }

  /** Includes the data of the response: some services return more than names. */
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
    // Bare, or in `keys`.
    const names = isObject(data) ? data.keys : data;
    return { names: readShape(namesShape(z), names, "data.keys", response.request), data };
  }

  /** Idempotent. */
  async write<Shape extends z.ZodType = z.ZodUnknown>(
    request: SecretsRequest & Partial<WithData<Shape>> & { readonly body: unknown },
  ): Promise<z.output<Shape> | undefined> {
    const response = await this.send({ ...request, method: "POST", idempotent: true });
    return this.optional(response, request.data);
  }

  /** Not idempotent: only retried if the service has certainly not processed it. */
  async act<Shape extends z.ZodType>(
    request: SecretsRequest & WithData<Shape> & { readonly body?: unknown },
  ): Promise<z.output<Shape> | undefined> {
    const response = await this.send({ ...request, method: "POST", idempotent: false });
    return this.optional(response, request.data);
  }

  /** Never idempotent, even if the service uses GET for it. */
  async issue<Shape extends z.ZodType>(
    request: SecretsRequest & WithData<Shape> & { readonly method: "GET" | "POST"; readonly body?: unknown },
  ): Promise<Issued<z.output<Shape>>> {
    const response = await this.send({ ...request, idempotent: false, issues: true });
    const content = this.open(response);
    const data = this.shaped(response, request.data, content);
    const { durationSeconds } = content.lease;
    const { tokenSeconds = durationSeconds } = response;
    // A lease expires with its token at the latest.
    if (tokenSeconds < durationSeconds) {
      this.caller.announce(
        "warning",
        `It ends with the token of the login, in ${tokenSeconds} s, and not with its lease, in ` +
          `${durationSeconds} s. Raise the lifetime of the tokens of that login.`,
      );
    }
    return { data, lease: { ...content.lease, durationSeconds: Math.min(durationSeconds, tokenSeconds) } };
  }

  /** An absent object counts as deleted, also when the service failed while deleting it. */
  async delete(request: SecretsRequest): Promise<void> {
    try {
      isAbsent(await this.send({ ...request, method: "DELETE", idempotent: true, accept: [404] }));
    } catch (error) {
      if (!ServiceError.isInstance(error) || error.status < 500) {
        throw error;
      }
      const look = { summary: "check whether the object was deleted", path: request.path, accept: [404] };
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
    return content.data === undefined ? undefined : shape && this.shaped(response, shape, content);
  }

  private open(response: HttpResponse): Content {
    const content = contentOf(response);
    const warnings = content.warnings.map(
      (text) => `The secrets service warns: ${showable(text, longestPart)}`,
    );
    firstProblems(warnings, (more) => `The secrets service returned ${more} more warnings.`).forEach((text) =>
      this.caller.announce("warning", text),
    );
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

/** A missing path does not prove a missing object. */
function assertOffered({ status, body, request }: HttpResponse, summary: string, advice: string): void {
  const errors = status === 404 && isObject(body) ? [body.errors].flat().map(String) : [];
  const [saying] = errors.flatMap((text) => /unsupported path|no handler for route/i.exec(text) ?? []);
  if (saying !== undefined) {
    throw new TriviumError(`Could not ${summary}: ${request} returned 404: ${saying}.`, { advice });
  }
}

export const secretsProtocol: ServiceProtocol<SecretsClient> = {
  authenticationHeader({ dialect, namespace }) {
    const { tokenHeader, namespaceHeader, requestHeaders } = secretsDialects[dialect];
    const more = namespace === undefined ? {} : { [namespaceHeader]: namespace };
    return (token) => ({ [tokenHeader]: token, ...requestHeaders, ...more });
  },
  login: () => (require("./login") as typeof import("./login")).secretsLogin,
  clients(transport, { dialect }, clock) {
    const shared: SharedState = { dialect: secretsDialects[dialect], clock, parts: new Map() };
    return (caller) => new SecretsClient(transport, caller, shared);
  },
};
