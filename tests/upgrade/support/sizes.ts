import type { StateResource } from "../../engine/support/stack";

/** How large a resource is in state. */
export interface Size {
  readonly urn: string;
  readonly type: string;
  /** The text by which the engine finds what manages it. */
  readonly provider: string;
  /** Bytes of its arguments and outputs, each once, in clear. */
  readonly data: number;
  /** Bytes of its inputs and outputs, in clear, hidden ones included. */
  readonly inState: number;
}

/** The sizes of the dynamic resources among those of a stack. */
export function sizesOf(resources: readonly StateResource[]): readonly Size[] {
  return resources.flatMap(({ urn, type, inputs = {}, outputs = {} }) => {
    const provider = inputs.__provider;
    if (typeof provider !== "string") {
      return [];
    }
    const [given, all] = [inClear(inputs), inClear(outputs)] as [object, object];
    const visible = Object.entries({ ...given, ...all }).filter(([name]) => !name.startsWith("__"));
    const data = bytesOf(Object.fromEntries(visible));
    return [{ urn, type, provider, data, inState: bytesOf(given) + bytesOf(all) }];
  });
}

/** Takes off what the engine wraps a secret in; its value is JSON. */
function inClear(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(inClear);
  }
  const { plaintext } = value as { readonly plaintext?: unknown };
  return typeof plaintext === "string"
    ? (JSON.parse(plaintext) as unknown)
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inClear(member)]));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
