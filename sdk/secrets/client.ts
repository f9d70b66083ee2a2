import { z } from "zod";
import {
  type Advice,
  advisedOtherwise,
  ContractError,
  NotFoundError,
  ServiceError,
  TriviumError,
  withAdvice,
} from "../base/errors";
import { isObject, textsIn } from "../base/json";
import { mountPath, type Path, path } from "../base/path";
import type { Dialect } from "../base/settings";
import { parseDuration, type ServiceClock } from "../base/timing";
import { longestPart, showable } from "../base/shown-text";
import type { HttpResponse, Operation, Transport } from "../http/transport";
import type { Caller } from "../base/caller";
import type { Fields } from "../resource/fields/field";
import { builtOnce, readShape, snakeCase, type Validation } from "../resource/fields/field";
import { nameInResponse } from "../resource/fields/kinds";
import type { Rows } from "../resource/fields/rows";
import { firstProblems } from "../resource/lifecycle/check";
import type { LoginProtocol, ServiceProtocol } from "../connection/service";
import { type SecretsDialect, secretsDialects } from "./dialect";

/** After Ctrl-C a write may still complete, so that its outcome is known; the CLI exits within five seconds. */
const writeGrace = 2500;
/** After that, the time to look up what the write has done. */
const lastLook = 1500;

export interface SecretsRequest {
  /** Starts with a verb. */
  readonly summary: string;
  readonly path: Path;
  /** Of a read, that for 404 is shown if the service has no such path: an absent object is not an error. */
  readonly advice?: Advice;
  /** The advice if the response is lost, for requests that are not idempotent. */
  readonly ifLost?: string;
}

export interface ListRequest extends SecretsRequest {
  /** Documented as a plain `GET`, without `list=true`. */
  readonly isPlain?: true | undefined;
}

export interface WithData<Shape extends z.ZodType> {
  readonly data: (z: Validation, dialect: Dialect) => Shape;
}

export interface Lease {
  /** Empty if the service returns none. */
  readonly leaseId: string;
  /** In seconds; 0 if the service does not return it. */
  readonly leaseDuration: number;
}

type ReadRequest = SecretsRequest & {
  /** The data must not name another id. */
  readonly id?: string;
};

type GetRequest<Table extends Rows> = Partial<ReadRequest> & {
  readonly what: string;
  readonly path: Path;
  readonly fields: Fields<Table>;
  /** The arguments of the function, which the response does not have. */
  readonly known: object;
};

type WriteRequest<Shape extends z.ZodType> = SecretsRequest &
  Partial<WithData<Shape>> & { readonly body?: unknown };

/** `undefined` if the response has no data. */
type Written<Shape extends z.ZodType> = Promise<z.output<Shape> | undefined>;

export class SecretsClient {
  constructor(
    private readonly transport: Transport,
    readonly caller: Caller,
    readonly dialect: SecretsDialect,
    readonly clock: ServiceClock,
    private readonly parts: Map<new () => unknown, unknown>,
  ) {}

  /** State that all requests of this process share: one instance per class. */
  sharedState<Part>(kind: new () => Part): Part {
    const part = this.parts.get(kind) ?? new kind();
    this.parts.set(kind, part);
    return part as Part;
  }

  onBehalfOf(caller: Caller): SecretsClient {
    return new SecretsClient(this.transport, caller, this.dialect, this.clock, this.parts);
  }

  /** To find out the outcome of a request: still works for a moment after Ctrl-C. */
  afterwards(): SecretsClient {
    return this.caller.signal.aborted
      ? this.onBehalfOf({ ...this.caller, signal: AbortSignal.timeout(lastLook) })
      : this;
  }

  async read<Shape extends z.ZodType>(
    request: ReadRequest & WithData<Shape>,
  ): Promise<z.output<Shape> | undefined> {
    const { summary, advice, id } = request;
    const response = await this.send({ ...request, method: "GET", idempotent: true, accept: [404] });
    if (advice?.[404] !== undefined) {
      assertOffered(response, summary, advice[404]);
    }
    if (isAbsent(response)) {
      return undefined;
    }
    const { data } = this.open(response);
    if (id !== undefined && isObject(data) && (data.id ?? id) !== id) {
      const problem = `expected ${JSON.stringify(id)}`;
      throw new ContractError({ request: response.request, at: "data.id", problem });
    }
    return this.shaped(response, request.data, data);
  }

  /**
   * The result of a function.
   *
   * @throws NotFoundError if the object does not exist, ContractError if the response lacks a required value
   */
  async get<Table extends Rows, Result extends object>(request: GetRequest<Table>): Promise<Result> {
    const { what, fields, known, path } = request;
    const state = await this.read({ summary: `read the ${what}`, ...request, data: fields.response });
    if (state === undefined) {
      throw new NotFoundError(`The ${what} does not exist.`);
    }
    const refuse = (member: string): ContractError =>
      new ContractError({ request: `GET ${path}`, at: `data.${member}`, problem: "expected a value" });
    return fields.result(known, state, refuse);
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
  write<Shape extends z.ZodType = z.ZodUnknown>(request: WriteRequest<Shape>): Written<Shape> {
    return this.post(request, true);
  }

  /** Not idempotent: only retried if the service has certainly not processed it. */
  act<Shape extends z.ZodType = z.ZodUnknown>(request: WriteRequest<Shape>): Written<Shape> {
    return this.post(request, false);
  }

  /** Never idempotent, even if the service uses GET for it. */
  issue<Shape extends z.ZodType>(
    request: SecretsRequest & WithData<Shape> & { readonly method: "GET" | "POST"; readonly body?: unknown },
  ): Promise<{ readonly data: z.output<Shape>; readonly lease: Lease; readonly renewable: boolean }> {
    return explainingLoss(request, async () => {
      const response = await this.send({ ...request, idempotent: false, issues: true });
      const { leaseId, leaseDuration, renewable, ...content } = this.open(response);
      const data = this.shaped(response, request.data, content.data);
      const { tokenSeconds = leaseDuration } = response;
      // A lease expires with its token at the latest.
      if (tokenSeconds < leaseDuration) {
        this.caller.announce(
          "warning",
          `It ends with the token of the login, in ${tokenSeconds} s, and not with its lease, in ` +
            `${leaseDuration} s. Raise the lifetime of the tokens of that login.`,
        );
      }
      return { data, lease: { leaseId, leaseDuration: Math.min(leaseDuration, tokenSeconds) }, renewable };
    });
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

  private post<Shape extends z.ZodType>(request: WriteRequest<Shape>, idempotent: boolean): Written<Shape> {
    return explainingLoss(request, async () => {
      const response = await this.send({ ...request, method: "POST", idempotent });
      const { data } = this.open(response);
      return data === undefined || request.data === undefined
        ? undefined
        : this.shaped(response, request.data, data);
    });
  }

  private shaped<Shape extends z.ZodType>(
    response: HttpResponse,
    shape: WithData<Shape>["data"],
    data: unknown,
  ): z.output<Shape> {
    return readShape(shape(z, this.dialect.name), data, "data", response.request);
  }

  private open(response: HttpResponse): ReturnType<typeof contentOf> {
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

async function explainingLoss<Result>(
  { ifLost }: SecretsRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw ifLost !== undefined && TriviumError.isInstance(error) && error.mayHaveBeenProcessed
      ? advisedOtherwise(error, ifLost)
      : error;
  }
}

/** A response without an envelope is its own content. */
export function contentOf({ body }: Pick<HttpResponse, "body">) {
  const envelope = isObject(body) ? body : {};
  const { lease_id: leaseId, lease_duration: duration, renewable, warnings } = envelope;
  const data = "data" in envelope || "errors" in envelope ? envelope.data : body;
  return {
    leaseId: typeof leaseId === "string" ? leaseId : "",
    leaseDuration: parseDuration(duration) ?? 0,
    renewable: renewable === true,
    /** `undefined` if the response has no body or `null`. */
    data: data ?? undefined,
    warnings: textsIn(warnings),
  };
}

/**
 * Absent is a 404 with any JSON or without a body: the documentation shows no error bodies.
 *
 * @throws TriviumError for text: a proxy, or another server at this address, proves nothing
 */
function isAbsent({ status, isText, request }: HttpResponse): boolean {
  if (status === 404 && isText === true) {
    throw new TriviumError(
      `${request} returned 404 with text instead of JSON, which does not prove that the object does not exist.`,
      { advice: "Check that the address is that of the secrets service. State is unchanged." },
    );
  }
  return status === 404;
}

/** A missing path does not prove a missing object. */
function assertOffered({ status, body, request }: HttpResponse, summary: string, advice: string): void {
  const errors = status === 404 && isObject(body) ? textsIn([body.errors].flat()) : [];
  const [saying] = errors.flatMap((text) => /unsupported path|no handler for route/i.exec(text) ?? []);
  if (saying !== undefined) {
    throw new TriviumError(`Could not ${summary}: ${request} returned 404: ${saying}.`, { advice });
  }
}

/** Any method of Vault and OpenBao that needs one request. */
const secretsLogin: LoginProtocol = {
  request({ path: mount = "", namespace, username, ...parameters }) {
    const at = path`/auth/${mountPath(mount)}/login`;
    return {
      method: "POST",
      path: username === undefined ? at : path`/auth/${mountPath(mount)}/login/${username}`,
      body: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [snakeCase(name), value])),
    };
  },

  grantIn({ auth }) {
    const { client_token: token, lease_duration: seconds, ...more } = isObject(auth) ? auth : {};
    const post = (place: Path) => ({ method: "POST", path: place, body: {} }) as const;
    return {
      token,
      seconds: typeof seconds === "number" ? seconds : 0,
      renew: more.renewable === true ? post(path`/auth/token/renew-self`) : undefined,
      revoke: more.token_type === "batch" ? undefined : post(path`/auth/token/revoke-self`),
    };
  },

  lookUp: { method: "GET", path: path`/auth/token/lookup-self` },
};

export const secretsProtocol: ServiceProtocol<SecretsClient> = {
  authenticationHeader({ dialect, namespace }) {
    const { tokenHeader, namespaceHeader, requestHeaders } = secretsDialects[dialect];
    const more = namespace === undefined ? {} : { [namespaceHeader]: namespace };
    return (token) => ({ [tokenHeader]: token, ...requestHeaders, ...more });
  },
  login: () => secretsLogin,
  clients(transport, { dialect }, clock) {
    const parts = new Map<new () => unknown, unknown>();
    return (caller) => new SecretsClient(transport, caller, secretsDialects[dialect], clock, parts);
  },
};
