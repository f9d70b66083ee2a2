import { z } from "zod";
import {
  adviceIfGone,
  advisedOtherwise,
  ContractError,
  messageOf,
  onStatus,
  ServiceError,
  TriviumError,
  orNotFound,
} from "../base/errors";
import { isObject, textsIn } from "../base/json";
import { mountPath, type Path, path } from "../base/path";
import type { Dialect } from "../base/settings";
import { SiblingLists } from "../base/sibling-lists";
import { parseDuration, type ServiceClock } from "../base/timing";
import { longestPart, showable } from "../base/shown-text";
import { type HttpResponse, type Operation, sendFor, type Transport } from "../http/transport";
import { type Caller, signalAfterwards } from "../base/caller";
import { type Current, type Fields, snakeCase } from "../resource/fields/field";
import { builtOnce, firstProblems, readShape, type Validation } from "../base/schema";
import { isGiven, nameInResponse } from "../resource/fields/kinds";
import type { Rows } from "../resource/fields/rows";
import type { ResolvedSettings } from "../connection/resolve";
import type { LoginProtocol, ServiceProtocol } from "../connection/service";
import {
  adviceOnSlash,
  checkMount,
  isEachError,
  isProof,
  missingRoute,
  saysAbsence,
  saysEmptyList,
  saysNothing,
  unproven,
  unprovenByNothing,
} from "./absence";
import { type SecretsDialect, secretsDialects } from "./dialect";
import type { ListRequest, SecretsRequest } from "./request";

export type { ListRequest, SecretsRequest } from "./request";

type Method = Pick<Operation, "method" | "idempotent" | "body">;

const reading: Method = { method: "GET", idempotent: true };
const deleting: Method = { method: "DELETE", idempotent: true };

export interface WithData<Shape extends z.ZodType> {
  readonly data: (z: Validation, dialect: Dialect) => Shape;
}

export interface Lease {
  /** The lease ID; empty if the service does not return one. */
  readonly leaseId: string;
  /** The lease duration in seconds; 0 if the service does not return it. */
  readonly leaseDuration: number;
}

type ReadRequest = SecretsRequest & {
  /** The ID: the data must not contain a different one. */
  readonly id?: string;
};

type GetRequest<Table extends Rows> = Partial<ReadRequest> & {
  readonly what: string;
  readonly path: Path;
  readonly fields: Fields<Table>;
  /** The arguments of the function, which the response does not contain. */
  readonly known: object;
};

interface Siblings<Table extends Rows> {
  readonly list: ListRequest;
  readonly fields: Fields<Table>;
  /** The values in state. */
  readonly current: Current<Table>;
  /** The members in lists, if they lack a member that a read returns and a write changes. */
  readonly part?: WithData<z.ZodType<object>>["data"];
}

/** The objects by name or ID; `undefined` if the service does not describe the object. */
export type Described = ReadonlyMap<string, Readonly<Record<string, unknown>> | undefined>;

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
    private readonly settings: Pick<ResolvedSettings, "namespace" | "login" | "assumedGone">,
    private readonly parts: Map<new () => unknown, unknown>,
    private readonly isLook = false,
  ) {}

  get namespace(): string {
    return this.settings.namespace ?? "";
  }

  /** State that all requests of this process share, with one instance per class. */
  sharedState<Part>(kind: new () => Part): Part {
    const part = this.parts.get(kind) ?? new kind();
    this.parts.set(kind, part);
    return part as Part;
  }

  onBehalfOf(caller: Caller): SecretsClient {
    return new SecretsClient(this.transport, caller, this.dialect, this.clock, this.settings, this.parts);
  }

  /**
   * For the look before a creation: a response that might show absence counts as absence, because a gateway
   * would reject the creation too.
   */
  looking(): SecretsClient {
    const { transport, caller, dialect, clock, settings, parts } = this;
    return new SecretsClient(transport, caller, dialect, clock, settings, parts, true);
  }

  /** A client to learn the outcome of a request. */
  afterwards(): SecretsClient {
    return this.onBehalfOf({ ...this.caller, signal: signalAfterwards(this.caller.signal) });
  }

  async read<Shape extends z.ZodType>(request: ReadRequest & WithData<Shape>) {
    const { id } = request;
    const response = await this.ask(request, reading);
    if (response === undefined) {
      return undefined;
    }
    const { data } = this.open(response);
    if (data === undefined && (await this.isAbsent(request, response))) {
      return undefined;
    }
    if (id !== undefined && isObject(data) && (data.id ?? id) !== id) {
      const problem = `expected ${JSON.stringify(id)}`;
      throw new ContractError({ request: response.request, at: "data.id", problem });
    }
    return this.shaped(response, request.data, data);
  }

  /** Reads one object of many, from a shared list if the service describes its objects in lists. */
  async readAmong<Table extends Rows>(
    request: ReadRequest & WithData<z.ZodType<Current<Table>>> & { readonly id: string },
    { list, fields, current, part }: Siblings<Table>,
  ): Promise<Current<Table> | undefined> {
    const { id } = request;
    const { describesInLists, name: dialect } = this.dialect;
    const lists = this.sharedState(SiblingLists);
    const alone = () => this.read(request);
    if (!describesInLists || (part !== undefined && lists.isWritten(list.path, id))) {
      return alone();
    }
    const item = await lists.read<{ id: string; state?: Current<Table> | undefined; described?: unknown }>(
      list.path,
      id,
      () => this.describedPages(list),
      async () => ({ id, state: await alone() }),
    );
    if (!isObject(item?.described)) {
      return item?.state;
    }
    const listed = (part ?? request.data)(z, dialect).safeParse(item.described);
    const isIt = listed.success && (item.described.id ?? id) === id;
    return (isIt ? fields.in(dialect).whole(listed.data, current) : undefined) ?? alone();
  }

  private async *describedPages(list: ListRequest) {
    const described = await this.listDescribed(list);
    yield { items: [...described].flatMap(([id, each]) => (each ? [{ id, described: each }] : [])) };
  }

  /**
   * The result of a function.
   *
   * @throws NotFoundError if the object does not exist, ContractError if the response lacks a required value
   */
  async get<Table extends Rows, Result extends object>(request: GetRequest<Table>): Promise<Result> {
    const summary = `read the ${request.what}`;
    const data = request.fields.response;
    return this.result(request, await this.read({ summary, ...request, resource: undefined, data }));
  }

  /** The same for an object that was already read. */
  result<Table extends Rows, Result extends object>(
    { what, fields, known, path }: GetRequest<Table>,
    state: Current<Table> | undefined,
  ): Result {
    const present = orNotFound(state, what);
    const refuse = (member: string): ContractError =>
      new ContractError({ request: `GET ${path}`, at: `data.${member}`, problem: "expected a value" });
    return fields.in(this.dialect.name).result(known, present, refuse);
  }

  /** The service returns 404 for an empty list. */
  async list(request: ListRequest): Promise<string[]> {
    return (await this.listData(request)).names;
  }

  /** Also returns the data of the response, because some services return more than names. */
  async listData(request: ListRequest) {
    const { summary, path, advice, isPlain = false } = request;
    const query = isPlain && this.dialect.listsPlainly ? {} : { list: true };
    const operation = { summary, path, advice, query, ...reading, accept: [404] };
    const response = await this.send(operation).catch((error: unknown) =>
      this.unlessAbsent({ summary, path }, error),
    );
    const none = { names: [], data: undefined, showsService: false };
    if (response === undefined) {
      return none;
    }
    const missing = missingRoute(response);
    if (missing !== undefined) {
      throw unproven(summary, response, missing, checkMount);
    }
    if (response.status === 404) {
      return none;
    }
    const { data } = this.open(response);
    if (!this.dialect.saysAbsence && saysEmptyList(response.body)) {
      return none;
    }
    // The names are in `keys`, or the list is the data itself.
    const names = isObject(data) ? data.keys : data;
    return {
      names: readShape(namesShape(z), names, "data.keys", response.request),
      data,
      /** Whether a list in this form proves that the service itself responded. */
      showsService: true,
    };
  }

  /** A list with the service's description of each object; there is none according to the documentation. */
  async listDescribed(request: ListRequest): Promise<Described> {
    const { names, data } = await this.listData(request);
    const described = isObject(data) && isObject(data.key_info) ? data.key_info : {};
    return new Map(names.map((name) => [name, isObject(described[name]) ? described[name] : undefined]));
  }

  /** The results for the objects in a list; null unless the service describes them all. */
  details<Result, Table extends Rows = Rows>(
    listed: Described,
    fields: Fields<Table>,
    response = fields.response,
  ): Result[] | null {
    const shape = response(z, this.dialect.name);
    const results = [...listed].flatMap(([id, described]): Result[] => {
      const state = shape.safeParse(described);
      return state.success ? [fields.in(this.dialect.name).result({ id }, state.data)] : [];
    });
    return results.length === listed.size ? results : null;
  }

  /** What requests to a path can contain; `undefined` if the service does not describe the path. */
  async parameters(described: Path): Promise<ReadonlySet<string> | undefined> {
    if (!this.dialect.describesPaths) {
      return undefined;
    }
    const summary = `look up which parameters ${described} has`;
    const response = await this.send({ summary, path: described, query: { help: true }, ...reading }).catch(
      (error: unknown) => {
        if (!ServiceError.isInstance(error) && !ContractError.isInstance(error)) {
          throw error;
        }
      },
    );
    const text = isObject(response?.body) ? response.body.help : undefined;
    const names = typeof text === "string" ? [...text.matchAll(/^ {4}(\w+) \(.+\)$/gm)] : [];
    return names.length === 0 ? undefined : new Set(names.map(([, name = ""]) => name));
  }

  /** Idempotent. */
  write<Shape extends z.ZodType = z.ZodUnknown>(request: WriteRequest<Shape>): Written<Shape> {
    return this.post(request, true);
  }

  /** Not idempotent: only retried if the service has certainly not processed the request. */
  act<Shape extends z.ZodType = z.ZodUnknown>(request: WriteRequest<Shape>): Written<Shape> {
    return this.post(request, false);
  }

  /** Never idempotent, even if the service uses GET for it. */
  issue<Shape extends z.ZodType>(
    request: SecretsRequest & WithData<Shape> & { readonly method: "GET" | "POST"; readonly body?: unknown },
  ): Promise<{ readonly data: z.output<Shape>; readonly lease: Lease; readonly renewable: boolean }> {
    return explainingLoss(request, async () => {
      const tokenEnd = await this.tokenEnd();
      const response = await this.send({ ...request, idempotent: false, issues: true });
      const { leaseId, leaseDuration, renewable, ...content } = this.open(response);
      const data = this.shaped(response, request.data, content.data);
      const { tokenSeconds = Math.max(1, Math.floor((tokenEnd - this.clock.now()) / 1000)) } = response;
      // A lease expires with its token at the latest.
      if (tokenSeconds < leaseDuration) {
        const [token, advice] =
          this.settings.login === undefined
            ? ["token that issued it", "Use a token with a longer TTL."]
            : ["login token", "Increase the lifetime of that login's tokens."];
        this.caller.announce(
          "warning",
          `It expires together with the ${token}, in ${tokenSeconds} s, before its lease ends in ${leaseDuration} s. ${advice}`,
        );
      }
      return { data, lease: { leaseId, leaseDuration: Math.min(leaseDuration, tokenSeconds) }, renewable };
    });
  }

  /** Not idempotent. An object that does not exist counts as done. */
  async end(request: SecretsRequest & { readonly body: unknown }): Promise<void> {
    const response = await this.ask(request, { method: "POST", idempotent: false, body: request.body });
    if (response !== undefined) {
      this.open(response);
    }
  }

  async delete(request: SecretsRequest): Promise<void> {
    await this.deleteFound(request);
  }

  /**
   * An absent object counts as deleted, also when the service failed while deleting it.
   *
   * @returns false if the service reports that the object does not exist
   */
  async deleteFound(request: SecretsRequest): Promise<boolean> {
    try {
      const response = await this.ask(request, deleting).finally(() => this.noteWrite(request));
      if (response !== undefined) {
        this.open(response);
      }
      return response !== undefined;
    } catch (error) {
      if (!ServiceError.isInstance(error) || error.status < 500) {
        throw error;
      }
      const look = { ...request, summary: "check whether the object was deleted" };
      if ((await this.ask(look, reading)) !== undefined) {
        throw error;
      }
      return true;
    }
  }

  /** Whether the user declares this object to be gone, because not every service can prove it. */
  isAssumedGone(resource: string): boolean {
    return this.settings.assumedGone.has(resource);
  }

  /**
   * When the lease expires (null for never), and whether anybody has renewed it; `false` if the lease does not
   * exist; `undefined` if the service does not return it, or if the token is not allowed to look it up.
   */
  async lookUpLease(leaseId: string | null | undefined) {
    const { leaseLookUp } = this.dialect;
    if (leaseLookUp === undefined || !isGiven(leaseId) || leaseId === "") {
      return undefined;
    }
    const summary = `look up the lease ${leaseId}`;
    const data = (each: Validation) =>
      each.object({ expire_time: each.string().nullish(), last_renewal: each.string().nullish() });
    const isUnknown = ({ status, messages }: ServiceError): boolean =>
      status === 400 && isEachError(messages, /invalid lease|lease not found/i);
    return this.write({ summary, path: leaseLookUp, body: { lease_id: leaseId }, data }).then(
      (found) => ({ expiresAt: found?.expire_time, isRenewed: typeof found?.last_renewal === "string" }),
      onStatus([400, 403, 404, 405], (error) => (isUnknown(error) ? false : undefined)),
    );
  }

  /** When the token expires. Looked up once, if the token is allowed to do that. */
  private async tokenEnd(): Promise<number> {
    const { tokenLookUp: path } = this.dialect;
    // A login knows the end of its tokens.
    if (path === undefined || this.settings.login !== undefined) {
      return Number.POSITIVE_INFINITY;
    }
    const shared = this.sharedState(TokenEnd);
    const known = shared.end;
    // Another token might follow one that has ended, because token files are read again.
    if ((await known) <= this.clock.now() && shared.end === known) {
      const data = (each: Validation) =>
        each.object({ expire_time: each.string().nullish(), num_uses: each.number().nullish() });
      shared.end = this.read({ summary: "look up the token", path, data }).then(
        (token) => {
          const { expire_time: end, num_uses } = token ?? {};
          const uses = num_uses ?? 0;
          // 0 means no limit; a negative number means that this lookup was the last use.
          if (uses !== 0) {
            const left = `${Math.max(0, uses)} ${uses === 1 ? "use" : "uses"} left`;
            this.caller.announce(
              "warning",
              `The token has ${left}, one for each request; after that, requests fail with 403. Use a token without ` +
                "a use limit, or a login (secretsLogin), which logs in again as needed.",
            );
          }
          return Date.parse(end ?? "") || Number.POSITIVE_INFINITY;
        },
        () => Number.POSITIVE_INFINITY,
      );
    }
    return shared.end;
  }

  /** @returns `undefined` only if the object is absent */
  private async ask(request: SecretsRequest, how: Method): Promise<HttpResponse | undefined> {
    const { summary, path, advice, resource } = request;
    const response = await this.send({ summary, path, advice, ...how, accept: [404] }).catch(
      (error: unknown) => this.unlessAbsent(request, error),
    );
    if (response === undefined || response.status < 400) {
      return response;
    }
    const missing = missingRoute(response);
    const notOffered = how.method === "GET" ? advice?.[404] : undefined;
    if (missing !== undefined && (notOffered !== undefined || !isProof(missing, path))) {
      const usual = [checkMount, ...wayOut(resource)].join(" ");
      throw unproven(summary, response, missing, notOffered ?? adviceOnSlash(missing, path) ?? usual);
    }
    return undefined;
  }

  /** Whether a success without data means that the object does not exist. */
  private async isAbsent(request: SecretsRequest, response: HttpResponse): Promise<boolean> {
    const { summary, listed, resource } = request;
    if (this.dialect.saysAbsence || listed === undefined) {
      return false;
    }
    if (saysNothing(response.body)) {
      return true;
    }
    const why = response.body === undefined ? await this.whyUnproven(request) : "";
    if (response.body === undefined && why !== undefined) {
      const parts = [why, "State is unchanged.", ...wayOut(resource)].filter(Boolean);
      throw unprovenByNothing(summary, response, parts.join(" "));
    }
    return why === undefined;
  }

  private async unlessAbsent(request: SecretsRequest, error: unknown): Promise<undefined> {
    if (!ServiceError.isInstance(error)) {
      throw error;
    }
    const { advice, foreign, status } = error;
    const why = foreign?.isData === true ? await this.whyUnproven(request) : "";
    if (why === undefined) {
      return;
    }
    const mayBeGone = absences.includes(status) ? wayOut(request.resource) : [];
    const isUnchanged = foreign === undefined ? "" : "State is unchanged.";
    const parts = [advice, why, isUnchanged, ...mayBeGone].filter(Boolean);
    throw parts.length === 0 ? error : advisedOtherwise(error, parts.join(" "));
  }

  /** @returns `undefined` if the lists of the service show that the object is absent, or in a look before a creation */
  private async whyUnproven({ listed }: SecretsRequest): Promise<string | undefined> {
    if (this.dialect.saysAbsence) {
      return "";
    }
    const found: string[] = [];
    for (const list of this.isLook ? [] : (listed?.lists ?? [])) {
      const at = `The list at /v1${list.path}`;
      try {
        const { names, showsService } = await this.listData(list);
        const isListed = listed?.as !== undefined && names.includes(listed.as);
        if (showsService && !isListed) {
          return undefined;
        }
        found.push(isListed ? `${at} contains it.` : `${at} names nothing.`);
      } catch (error) {
        if (!ServiceError.isInstance(error) && !ContractError.isInstance(error)) {
          throw error;
        }
        const problem = ServiceError.isInstance(error) ? `it returned ${error.status}.` : messageOf(error);
        found.push(`${at} does not show it either: ${problem}`);
      }
    }
    return this.isLook ? undefined : found.join(" ");
  }

  private post<Shape extends z.ZodType>(request: WriteRequest<Shape>, idempotent: boolean): Written<Shape> {
    return explainingLoss(request, async () => {
      const response = await this.send({ ...request, method: "POST", idempotent }).finally(() =>
        this.noteWrite(request),
      );
      const { data } = this.open(response);
      return data === undefined || request.data === undefined
        ? undefined
        : this.shaped(response, request.data, data);
    });
  }

  /** Also after a failure, because the service might have processed the request. */
  noteWrite({ listed }: Pick<SecretsRequest, "listed">): void {
    const { as, lists = [] } = listed ?? {};
    lists.forEach(({ path: list }) => as !== undefined && this.sharedState(SiblingLists).note(list, as));
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
    if (content.isWrapped) {
      const advice = "Use a token whose policies do not wrap responses from this path.";
      throw new ContractError({ request: response.request, at: "wrap_info", problem: wrapped, advice });
    }
    const warnings = content.warnings.map(
      (text) => `The secrets service warns: ${showable(text, longestPart)}`,
    );
    firstProblems(warnings, (more) => `The secrets service returned ${more} more warnings.`).forEach((text) =>
      this.caller.announce("warning", text),
    );
    return content;
  }

  private send(operation: SecretsRequest & Operation): Promise<HttpResponse> {
    return sendFor(this.caller, this.transport, operation);
  }
}

function wayOut(resource: string | undefined): string[] {
  return resource === undefined ? [] : [adviceIfGone(resource)];
}

const namesShape = builtOnce((z) => z.array(nameInResponse(z)));

async function explainingLoss<Result>({ ifLost }: SecretsRequest, work: () => Promise<Result>) {
  try {
    return await work();
  } catch (error) {
    if (ifLost === undefined || !TriviumError.isInstance(error) || !error.mayHaveBeenProcessed) {
      throw error;
    }
    // Another attempt would also be wrapped, until the cause is fixed.
    const isWrapped = ContractError.isInstance(error) && error.at === "wrap_info";
    throw advisedOtherwise(error, isWrapped ? `${error.advice ?? ""} ${ifLost}` : ifLost);
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
    isWrapped: isObject(envelope.wrap_info),
  };
}

const wrapped =
  "the response is wrapped, so it contains no data: either a control group must approve the request, or one of the " +
  "token's policies requires wrapping (min_wrapping_ttl)";

class TokenEnd {
  end: Promise<number> = Promise.resolve(Number.NEGATIVE_INFINITY);
}

/** The statuses with which a service can mean that an object is missing. */
const absences: readonly number[] = [400, 404, 405, 409, 410, 422];

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

  advice: (members) =>
    Object.keys(members).some((name) => name.startsWith("secretId"))
      ? [
          "A wrapped secret ID must be unwrapped first. A single-use secret ID serves only one process, and a program " +
            "that calls functions logs in separately: allow more uses (secret_id_num_uses).",
        ]
      : [],

  grantIn({ auth, wrap_info: wrapping }) {
    const {
      client_token: token,
      lease_duration: seconds,
      num_uses: uses,
      ...more
    } = isObject(auth) ? auth : {};
    const isLimited = typeof uses === "number" && uses > 0;
    const post = (place: Path) => ({ method: "POST", path: place, body: {} }) as const;
    return {
      token,
      seconds: typeof seconds === "number" ? seconds : 0,
      ...(isLimited ? { uses } : {}),
      ...(isObject(wrapping) ? { problem: `The reason: ${wrapped}.` } : {}),
      renew: more.renewable === true && !isLimited ? post(path`/auth/token/renew-self`) : undefined,
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
  saysAbsence,
  clients(transport, settings, clock) {
    const parts = new Map<new () => unknown, unknown>();
    const dialect = secretsDialects[settings.dialect];
    return (caller) => new SecretsClient(transport, caller, dialect, clock, settings, parts);
  },
};
