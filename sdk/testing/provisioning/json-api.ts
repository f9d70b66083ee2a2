import { jsonAnswer, type Answer } from "../answer";
import { badRequest, invalid, type Refusal } from "./refusal";

export const mediaType = "application/vnd.api+json";

/** The body of a request for one resource, checked. */
export interface ResourceBody {
  /** Only those that were sent. */
  readonly attributes: ReadonlyMap<string, unknown>;
}

/** What the body of a request may hold. */
export interface ResourceForm {
  readonly type: string;
  readonly attributes: readonly string[];
  /** The identifier from the path, for an update: `data.id` may be left out but not differ. */
  readonly id?: string;
}

export function documentAnswer(status: number, document: unknown): Answer {
  return jsonAnswer(status, document, mediaType);
}

export const noContent: Answer = { status: 204 };

export function refusalAnswer({ status, title, detail, source }: Refusal): Answer {
  const error = { status: String(status), title, detail };
  const place = source?.startsWith("?") === true ? { parameter: source.slice(1) } : { pointer: source };
  return documentAnswer(status, { errors: [source === undefined ? error : { ...error, source: place }] });
}

/** @throws Refusal 400 when the text is no JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badRequest("The body is not valid JSON.");
  }
}

/** @throws Refusal 422 when the body is not a document with one resource of this form, or holds anything more */
export function readResource(body: unknown, form: ResourceForm): ResourceBody {
  const document = readObject(body, "", ["data"]);
  const members = form.id === undefined ? ["type", "attributes"] : ["type", "attributes", "id"];
  const data = readObject(document.get("data"), "/data", members);
  readType(data, "/data", form.type);
  if (form.id !== undefined && data.has("id") && data.get("id") !== form.id) {
    throw invalid("/data/id", "Id differs from the one in the path.");
  }
  const attributes = data.has("attributes")
    ? readObject(data.get("attributes"), "/data/attributes", form.attributes)
    : new Map<string, unknown>();
  return { attributes };
}

/** @throws Refusal 422 when the body is not a list of resource identifiers of this type */
export function readIdentifiers(body: unknown, type: string): string[] {
  const data = readObject(body, "", ["data"]).get("data");
  if (!Array.isArray(data)) {
    throw invalid("/data", "Data must be a list of resource identifiers.");
  }
  return data.map((item: unknown, index) => {
    const pointer = `/data/${index}`;
    const members = readObject(item, pointer, ["type", "id"]);
    readType(members, pointer, type);
    const id = members.get("id");
    if (typeof id !== "string" || id === "") {
      throw invalid(`${pointer}/id`, "Id must be a text and not empty.");
    }
    return id;
  });
}

function readType(members: ReadonlyMap<string, unknown>, pointer: string, type: string): void {
  if (members.get("type") !== type) {
    throw invalid(`${pointer}/type`, `Type must be ${JSON.stringify(type)}.`);
  }
}

function readObject(value: unknown, pointer: string, known: readonly string[]): Map<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(pointer, `The body has no object at ${JSON.stringify(pointer || "/")}.`);
  }
  const members = new Map<string, unknown>(Object.entries(value));
  for (const name of members.keys()) {
    if (!known.includes(name)) {
      throw invalid(
        `${pointer}/${name}`,
        `${JSON.stringify(name)} is unknown here; known: ${known.join(", ")}.`,
      );
    }
  }
  return members;
}
