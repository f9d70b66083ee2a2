import { isObject } from "../../base/json";
import { jsonResponse, type ServiceResponse, unservedText } from "../response";
import type { ProvisioningTraits } from "./traits";

/** An error response: thrown by an endpoint, sent by the service as a JSON:API error document. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    /** A JSON pointer into the body, or `?` and the name of a query parameter. */
    readonly source?: string,
  ) {
    super(detail);
  }
}

/** The service does not distinguish a missing object from one that the caller is not allowed to access. */
export function notFound(): Refusal {
  return new Refusal(404, "not found", "There is no such resource, or the token is not allowed to do this.");
}

/** The error for something that the product would act on. */
export function notImplemented(what: string): Refusal {
  return new Refusal(501, "not implemented", unservedText(what));
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

/** Only the members that were sent. */
export interface ResourceBody {
  readonly attributes: ReadonlyMap<string, unknown>;
  readonly relationships: ReadonlyMap<string, unknown>;
}

export interface ResourceShape {
  /** All accepted names. */
  readonly type: string | readonly string[];
  readonly attributes: readonly string[];
  readonly relationships?: readonly string[];
  /** For an update: the ID in the path, which `data.id` must match. */
  readonly id?: string;
  /** Whether the products also accept an empty type, as their own client sends it, or none. */
  readonly mayLackType?: boolean;
}

export function documentResponse(status: number, document: unknown): ServiceResponse {
  return jsonResponse(status, document, mediaType);
}

/** The products do not return details for 401 and 404. */
export function refusalResponse(
  { status, title, detail, source }: Refusal,
  { explainsAbsence }: ProvisioningTraits,
): ServiceResponse {
  const isExplained = explainsAbsence || (status !== 401 && status !== 404);
  const error = { status: String(status), title, ...(isExplained ? { detail } : {}) };
  const place = source?.startsWith("?") === true ? { parameter: source.slice(1) } : { pointer: source };
  return documentResponse(status, { errors: [source === undefined ? error : { ...error, source: place }] });
}

/** The products ignore unknown members. */
export class BodyReader {
  constructor(private readonly traits: ProvisioningTraits) {}

  /** @throws Refusal 422 if the body is not a document with one resource of this shape */
  resource(body: unknown, shape: ResourceShape): ResourceBody {
    const parts = [
      "type",
      "attributes",
      ...(shape.id === undefined ? [] : ["id"]),
      ...(shape.relationships === undefined ? [] : ["relationships"]),
    ];
    const data = this.object(this.object(body, "", ["data"]).get("data"), "/data", parts);
    if (
      !this.traits.mayLackType ||
      shape.mayLackType !== true ||
      ![undefined, ""].includes(data.get("type") as string)
    ) {
      requireType(data, "/data", shape.type);
    }
    if (shape.id !== undefined && data.has("id") && data.get("id") !== shape.id) {
      throw invalid("/data/id", "Id differs from the one in the path.");
    }
    const members = (name: string, known: readonly string[] = []): Map<string, unknown> =>
      data.has(name) ? this.object(data.get(name), `/data/${name}`, known) : new Map<string, unknown>();
    return {
      attributes: members("attributes", shape.attributes),
      relationships: members("relationships", shape.relationships),
    };
  }

  /** @throws Refusal 422 unless the value has a `data` list of identifiers of this type */
  identifiers(value: unknown, type: string, pointer = ""): string[] {
    const list = this.object(value, pointer, ["data"]).get("data");
    return this.identifierList(list, type, `${pointer}/data`);
  }

  /** In the documented dialect, a relationship can also be the list itself. */
  relationship(value: unknown, type: string, pointer: string): string[] {
    return Array.isArray(value) && this.traits.takesBareLists
      ? this.identifierList(value, type, pointer)
      : this.identifiers(value, type, pointer);
  }

  private identifierList(list: unknown, type: string, pointer: string): string[] {
    if (!Array.isArray(list)) {
      throw invalid(pointer, "Data must be a list of resource identifiers.");
    }
    return list.map((item: unknown, index) => {
      const place = `${pointer}/${index}`;
      const members = this.object(item, place, ["type", "id"]);
      requireType(members, place, type);
      const id = members.get("id");
      if (typeof id !== "string" || id === "") {
        throw invalid(`${place}/id`, "Id must be a string of at least one character.");
      }
      return id;
    });
  }

  private object(value: unknown, pointer: string, known: readonly string[]): Map<string, unknown> {
    if (!isObject(value)) {
      throw invalid(pointer, `The body has no object at ${JSON.stringify(pointer || "/")}.`);
    }
    const members = new Map<string, unknown>(Object.entries(value));
    const unknown = [...members.keys()].find((name) => !known.includes(name));
    if (unknown !== undefined && !this.traits.ignoresUnknown) {
      const detail = `${JSON.stringify(unknown)} is unknown here; known: ${known.join(", ")}.`;
      throw invalid(`${pointer}/${unknown}`, detail);
    }
    return members;
  }
}

function requireType(
  members: ReadonlyMap<string, unknown>,
  pointer: string,
  type: ResourceShape["type"],
): void {
  const types = [type].flat();
  if (!types.some((known) => members.get("type") === known)) {
    const spellings = types.map((known) => JSON.stringify(known)).join(" or ");
    throw invalid(`${pointer}/type`, `Type must be ${spellings}.`);
  }
}
