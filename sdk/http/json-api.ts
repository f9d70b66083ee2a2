import { isObject } from "../base/json";
import { ContractError } from "../base/errors";
import type { HttpResponse } from "./transport";

/** The JSON:API media type; sent with every POST, PATCH and DELETE, even without a body. */
export const jsonApiMediaType = "application/vnd.api+json";

/** Ids become parts of requests and messages. */
const longestName = 1_000;

/** A resource object with the names and values of the service; missing members are empty objects. */
export interface ResourceObject {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: Readonly<Record<string, unknown>>;
  readonly links: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A document with a list of resources. */
export interface ResourceList {
  readonly resources: readonly ResourceObject[];
  /** Resources that the list refers to, if the request included them. */
  readonly included: readonly ResourceObject[];
  readonly meta: Readonly<Record<string, unknown>>;
  readonly links: Readonly<Record<string, unknown>>;
}

/**
 * Reads a document with one resource.
 *
 * @param type the expected type
 * @throws ContractError
 */
export function readResource(
  response: HttpResponse,
  type: string,
): ResourceObject & { readonly included: readonly ResourceObject[] } {
  const reader = new DocumentReader(response);
  const document = reader.object(response.body, "");
  return {
    ...reader.resource(document.data, "data", type),
    included: reader
      .optionalList(document.included, "included")
      .map((item, index) => reader.resource(item, `included[${index}]`)),
  };
}

/**
 * Reads a document with a list of resources.
 *
 * @param type the expected type
 * @throws ContractError
 */
export function readResourceList(response: HttpResponse, type: string): ResourceList {
  const reader = new DocumentReader(response);
  const document = reader.object(response.body, "");
  return {
    resources: reader
      .list(document.data, "data")
      .map((item, index) => reader.resource(item, `data[${index}]`, type)),
    included: reader
      .optionalList(document.included, "included")
      .map((item, index) => reader.resource(item, `included[${index}]`)),
    meta: reader.optionalObject(document.meta, "meta"),
    links: reader.optionalObject(document.links, "links"),
  };
}

/** A request document with one resource; members that are `undefined` are omitted. */
export function resourceDocument(resource: {
  readonly type: string;
  readonly id?: string | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  readonly relationships?: Readonly<Record<string, unknown>> | undefined;
}): { readonly data: unknown } {
  return { data: resource };
}

/** A request document with identifiers of one type. */
export function identifiersDocument(
  type: string,
  ids: readonly string[],
): { readonly data: readonly unknown[] } {
  return { data: ids.map((id) => ({ type, id })) };
}

/** Validates members of a response and reports the path of an invalid one. */
class DocumentReader {
  constructor(private readonly response: HttpResponse) {}

  object(value: unknown, at: string): Readonly<Record<string, unknown>> {
    return isObject(value) ? value : this.refuse(at, "an object", value);
  }

  optionalObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
    return value === undefined || value === null ? {} : this.object(value, at);
  }

  list(value: unknown, at: string): readonly unknown[] {
    return Array.isArray(value) ? value : this.refuse(at, "a list", value);
  }

  optionalList(value: unknown, at: string): readonly unknown[] {
    return value === undefined || value === null ? [] : this.list(value, at);
  }

  resource(value: unknown, at: string, expected?: string): ResourceObject {
    const object = this.object(value, at);
    const type = this.name(object.type, `${at}.type`);
    if (expected !== undefined && type !== expected) {
      throw this.error(`${at}.type`, `expected ${expected}`);
    }
    return {
      type,
      id: this.name(object.id, `${at}.id`),
      attributes: this.optionalObject(object.attributes, `${at}.attributes`),
      relationships: this.optionalObject(object.relationships, `${at}.relationships`),
      links: this.optionalObject(object.links, `${at}.links`),
      meta: this.optionalObject(object.meta, `${at}.meta`),
    };
  }

  private name(value: unknown, at: string): string {
    if (typeof value !== "string" || value === "") {
      return this.refuse(at, "a non-empty string", value);
    }
    if (value.length > longestName || /\p{Surrogate}/u.test(value)) {
      throw this.error(at, `expected a well-formed string of at most ${longestName} characters`);
    }
    return value;
  }

  private refuse(at: string, expected: string, value: unknown): never {
    throw this.error(at, `expected ${expected}, got ${kindOf(value)}`);
  }

  private error(at: string, problem: string): ContractError {
    return new ContractError({ request: this.response.request, at, problem });
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) {
    return value === null ? "null" : "nothing";
  }
  if (Array.isArray(value)) {
    return "a list";
  }
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
