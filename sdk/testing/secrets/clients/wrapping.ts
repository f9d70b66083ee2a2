import { isObject } from "../../../base/json";
import { jsonResponse, parsedJson, type ServiceResponse } from "../../response";
import { newIdentifier } from "../../tokens";
import type { Area } from "../../area";
import { type Body, wholeSeconds } from "../body";
import { reads, writes, productArea, type FixedEndpoint, type SecretsRequest } from "../endpoint";
import type { Records } from "../records";
import { badRequest } from "../refusal";
import { dataResponse } from "../responses";

interface Wrapped {
  readonly accessor: string;
  readonly content: object;
  readonly path: string;
  /** Seconds. */
  readonly ttl: number;
  readonly creationTime: string;
}

/** Responses that the products hold back and return once, in exchange for a token. */
export class Wrapping {
  private readonly kept = new Map<string, Wrapped>();

  constructor(private readonly records: Records) {}

  /** @param path below the prefix. Only responses with an envelope are wrapped. */
  wrap(response: ServiceResponse, path: string, ttl: number): ServiceResponse {
    const content = parsedJson(response.body ?? "");
    return response.status === 200 && isObject(content) && "wrap_info" in content && ttl > 0
      ? this.keep(content, path, ttl)
      : response;
  }

  /** Moves a kept response to a new token. */
  rewrap(token: string): ServiceResponse {
    const { content, path, ttl } = this.take(token);
    return this.keep(content, path, ttl, true);
  }

  discard(token: string): boolean {
    return this.kept.delete(token);
  }

  find(token: string): Wrapped {
    const wrapped = this.kept.get(token);
    if (wrapped === undefined) {
      throw badRequest("wrapping token is not valid or does not exist");
    }
    return wrapped;
  }

  take(token: string): Wrapped {
    const wrapped = this.find(token);
    this.kept.delete(token);
    return wrapped;
  }

  /** What the products return about the token itself, which can be used once. */
  describe(token: string): ServiceResponse | undefined {
    const wrapped = this.kept.get(token);
    if (wrapped === undefined) {
      return undefined;
    }
    const { accessor, path, ttl, creationTime } = wrapped;
    const issued = Date.parse(creationTime);
    return dataResponse({
      accessor,
      creation_time: Math.floor(issued / 1_000),
      creation_ttl: ttl,
      display_name: "",
      entity_id: "",
      expire_time: new Date(issued + ttl * 1_000).toISOString(),
      explicit_max_ttl: ttl,
      id: token,
      issue_time: creationTime,
      meta: null,
      num_uses: 1,
      orphan: true,
      path,
      policies: ["response-wrapping"],
      renewable: false,
      ttl: Math.floor((issued - this.records.clock.now()) / 1_000 + ttl),
      type: "service",
    });
  }

  private keep(content: object, path: string, ttl: number, isAgain = false): ServiceResponse {
    const token = newIdentifier("s.", 24);
    const accessor = newIdentifier("", 24);
    const creationTime = this.records.now();
    this.kept.set(token, { accessor, content, path, ttl, creationTime });
    this.records.clock.after(ttl * 1_000, () => this.kept.delete(token));
    const wrap_info = {
      token,
      accessor,
      ttl,
      creation_time: creationTime,
      creation_path: path,
      ...(!isAgain && "auth" in content && isObject(content.auth)
        ? { wrapped_accessor: content.auth.accessor }
        : {}),
    };
    const { body = "" } = dataResponse(null);
    return jsonResponse(200, { ...(JSON.parse(body) as object), request_id: "", wrap_info });
  }
}

/** @returns seconds; 0 for a response that is not wrapped. @throws Refusal 400 for an invalid header */
export function readWrapTtl(header: string | readonly string[] | undefined): number {
  const text = String(header ?? "");
  const ttl = text === "" ? 0 : wholeSeconds(text.replace(/^-/, ""));
  if (ttl === undefined || text.startsWith("-")) {
    const problem =
      ttl === undefined
        ? `time: invalid duration ${JSON.stringify(text)}`
        : "requested wrap ttl cannot be negative";
    throw badRequest(`error parsing X-Vault-Wrap-TTL header: ${problem}`);
  }
  return ttl;
}

const path = "/sys/wrapping";

export function createWrappingArea(
  records: Records,
  wrapping: Wrapping,
): Area<FixedEndpoint, object, object> {
  /** The token is in the body, or is the request's own token. */
  const tokenIn = ({ body, caller }: { readonly body: Body; readonly caller: SecretsRequest["caller"] }) =>
    body.text("token") || caller.token;
  const lookUp = (request: SecretsRequest) => {
    const { path: creation_path, creationTime: creation_time, ttl } = wrapping.find(tokenIn(request));
    return dataResponse({ creation_path, creation_time, creation_ttl: ttl });
  };
  return productArea(records, [
    writes(`${path}/unwrap`, ["token"], (request) =>
      jsonResponse(200, wrapping.take(tokenIn(request)).content),
    ),
    writes(`${path}/rewrap`, ["token"], (request) => wrapping.rewrap(tokenIn(request))),
    writes(`${path}/lookup`, ["token"], lookUp),
    reads(`${path}/lookup`, lookUp, ["token"]),
  ]);
}
