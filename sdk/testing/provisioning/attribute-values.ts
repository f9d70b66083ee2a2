import { invalid } from "./refusal";

/** Attributes as they were sent. */
export type Attributes = ReadonlyMap<string, unknown>;

export function attributePointer(name: string): string {
  return `/data/attributes/${name}`;
}

/** @throws Refusal 422 when it is anything but true or false; `previous` stands for one that was not sent */
export function readBoolean(attributes: Attributes, name: string, previous: boolean): boolean {
  const value = attributes.has(name) ? attributes.get(name) : previous;
  if (typeof value !== "boolean") {
    throw invalid(attributePointer(name), `${capitalized(name)} must be true or false`);
  }
  return value;
}

/** @throws Refusal 422 when it is neither text nor null; `previous` stands for one that was not sent */
export function readTextOrNull(attributes: Attributes, name: string, previous: string | null): string | null {
  const value = attributes.has(name) ? attributes.get(name) : previous;
  if (value !== null && typeof value !== "string") {
    throw invalid(attributePointer(name), `${capitalized(name)} must be a text or null`);
  }
  return value;
}

/** As the messages of the service begin. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
}
