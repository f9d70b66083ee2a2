import { isObject } from "../../base/json";
import { jsonResponse, type ServiceResponse } from "../response";
import type { ProvisioningDialect } from "./dialect";

/**
 * A response other than success. Thrown by an endpoint, written by the service as a JSON:API error document.
 */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    /** Where in the body the mistake is, or `?` and the name of a query parameter. */
    readonly source?: string,
  ) {
    super(detail);
  }
}

/** The same response for what is absent and for what the caller may not do. */
export function notFound(): Refusal {
  return new Refusal(404, "not found", "There is no such resource, or the token may not do this with it.");
}

export function forbidden(detail: string): Refusal {
  return new Refusal(403, "forbidden", detail);
}

export function badRequest(detail: string, source?: string): Refusal {
  return new Refusal(400, "bad request", detail, source);
}

/** @param pointer a JSON pointer into the body, such as `/data/attributes/name` */
export function invalid(pointer: string, detail: string): Refusal {
  const title = pointer.startsWith("/data/attributes/") ? "invalid attribute" : "unprocessable entity";
  return new Refusal(422, title, detail, pointer);
}

export const mediaType = "application/vnd.api+json";

/** The body of a request for one resource, checked. */
export interface ResourceBody {
  /** Only those that were sent. */
  readonly attributes: ReadonlyMap<string, unknown>;
  /** Only those that were sent. */
  readonly relationships: ReadonlyMap<string, unknown>;
}

/** What the body of a request may hold. */
export interface ResourceForm {
  /** Several when the service understands more than one spelling. */
  readonly type: string | readonly string[];
  readonly attributes: readonly string[];
  /** Default none. */
  readonly relationships?: readonly string[];
  /** The identifier from the path, for an update: `data.id` may be left out but not differ. */
  readonly id?: string;
}

export function documentResponse(status: number, document: unknown): ServiceResponse {
  return jsonResponse(status, document, mediaType);
}

export function refusalResponse(
  { status, title, detail, source }: Refusal,
  { unexplained }: ProvisioningDialect,
): ServiceResponse {
  const error = { status: String(status), title, ...(unexplained.includes(status) ? {} : { detail }) };
  const place = source?.startsWith("?") === true ? { parameter: source.slice(1) } : { pointer: source };
  return documentResponse(status, { errors: [source === undefined ? error : { ...error, source: place }] });
}

/** @throws Refusal 400 when the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badRequest("The body is not valid JSON.");
  }
}

/**
 * @throws Refusal 422 when the body is not a document with one resource of this form, or, where that is not ignored,
 *   holds anything more
 */
export function readResource(body: unknown, form: ResourceForm, dialect: ProvisioningDialect): ResourceBody {
  const document = readObject(body, "", ["data"], dialect);
  const parts = [
    "type",
    "attributes",
    ...(form.id === undefined ? [] : ["id"]),
    ...(form.relationships === undefined ? [] : ["relationships"]),
  ];
  const data = readObject(document.get("data"), "/data", parts, dialect);
  readType(data, "/data", form.type);
  if (form.id !== undefined && data.has("id") && data.get("id") !== form.id) {
    throw invalid("/data/id", "Id differs from the one in the path.");
  }
  const readMembers = (name: string, known: readonly string[] = []): Map<string, unknown> =>
    data.has(name) ? readObject(data.get(name), `/data/${name}`, known, dialect) : new Map<string, unknown>();
  return {
    attributes: readMembers("attributes", form.attributes),
    relationships: readMembers("relationships", form.relationships),
  };
}

/** @throws Refusal 422 when the body is not a list of resource identifiers of this type */
export function readIdentifiers(body: unknown, type: string, dialect: ProvisioningDialect): string[] {
  return readIdentifierList(readObject(body, "", ["data"], dialect).get("data"), "/data", type, dialect);
}

/**
 * @param value of a relationship to many: an object that has the list as its data, or, where that is understood, the
 *   list itself
 * @param pointer where the relationship is in the body
 * @throws Refusal 422 when it is neither
 */
export function readRelationship(
  value: unknown,
  pointer: string,
  type: string,
  dialect: ProvisioningDialect,
): string[] {
  if (Array.isArray(value) && dialect.relationships.read === "either") {
    return readIdentifierList(value, pointer, type, dialect);
  }
  const list = readObject(value, pointer, ["data"], dialect).get("data");
  return readIdentifierList(list, `${pointer}/data`, type, dialect);
}

function readIdentifierList(
  list: unknown,
  pointer: string,
  type: string,
  dialect: ProvisioningDialect,
): string[] {
  if (!Array.isArray(list)) {
    throw invalid(pointer, "Data must be a list of resource identifiers.");
  }
  return list.map((item: unknown, index) => {
    const place = `${pointer}/${index}`;
    const members = readObject(item, place, ["type", "id"], dialect);
    readType(members, place, type);
    const id = members.get("id");
    if (typeof id !== "string" || id === "") {
      throw invalid(`${place}/id`, "Id must be a string of at least one character.");
    }
    return id;
  });
}

function readType(members: ReadonlyMap<string, unknown>, pointer: string, type: ResourceForm["type"]): void {
  const types = [type].flat();
  if (!types.some((known) => members.get("type") === known)) {
    const spellings = types.map((known) => JSON.stringify(known)).join(" or ");
    throw invalid(`${pointer}/type`, `Type must be ${spellings}.`);
  }
}

function readObject(
  value: unknown,
  pointer: string,
  known: readonly string[],
  { unknownMembers }: ProvisioningDialect,
): Map<string, unknown> {
  if (!isObject(value)) {
    throw invalid(pointer, `The body has no object at ${JSON.stringify(pointer || "/")}.`);
  }
  const members = new Map<string, unknown>(Object.entries(value));
  for (const name of members.keys()) {
    if (!known.includes(name) && unknownMembers === "refused") {
      throw invalid(
        `${pointer}/${name}`,
        `${JSON.stringify(name)} is unknown here; known: ${known.join(", ")}.`,
      );
    }
  }
  return members;
}
