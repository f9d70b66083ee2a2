import * as pulumi from "@pulumi/pulumi";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { isMarked } from "../support/values";

export type ResourceClass = (new (
  name: string,
  args?: object,
  options?: pulumi.CustomResourceOptions,
) => pulumi.CustomResource) & { readonly definition: AnyResourceDefinition; readonly get?: unknown };

/** A resource as the program registered it. Secrets among its inputs are marked: see {@link secretOf}. */
export type Registered = Required<
  Pick<pulumi.runtime.MockResourceArgs, "type" | "name" | "id" | "provider">
> & { readonly inputs: Readonly<Record<string, unknown>> };

interface MocksOptions {
  /** Resources have no id yet; `"update"`: they exist. */
  readonly preview?: boolean | "update";
  /** The library asks for the state of the stack, as of an engine: `response` has it. */
  readonly readsState?: boolean;
  /** What the service would add. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** What functions return. Default: they are called. */
  readonly response?: pulumi.runtime.Mocks["call"];
}

/**
 * Runs the tests of the suite that calls it as users run theirs: with Pulumi's own mocks instead of an engine. A
 * resource gets the id `<name>-id`, its inputs as outputs, and what `outputs` adds.
 *
 * @returns what is registered, in that order
 */
export function useMocks({ preview = false, readsState = false, outputs = {}, response }: MocksOptions = {}) {
  const registered: Registered[] = [];
  const isPreview = preview !== false;

  beforeEach(async () => {
    registered.length = 0;
    pulumi.runtime.setAllConfig({});
    const mocks = {
      newResource({ type, name, inputs, id = "", provider = "" }: pulumi.runtime.MockResourceArgs) {
        registered.push({ type, name, inputs: inputs as Registered["inputs"], id, provider });
        const own = id === "" ? `${name}-id` : id;
        return { id: preview === true ? "" : own, state: { ...(inputs as object), ...outputs } };
      },
      ...(response && { call: response }),
    };
    await pulumi.runtime.setMocks(mocks as pulumi.runtime.Mocks, "project", "stack", isPreview);
    if (readsState) {
      // By the member `mocks`, the library knows that there is no engine.
      const monitor = new Proxy(pulumi.runtime.getMonitor() as object, {
        get(target, name) {
          const member: unknown = name === "mocks" ? undefined : Reflect.get(target, name);
          return typeof member === "function" ? (member.bind(target) as unknown) : member;
        },
      });
      pulumi.runtime.setMockOptions(monitor, "project", "stack", isPreview, "acme");
    }
  });
  afterEach(() => {
    pulumi.runtime.setAllConfig({});
    // Other suites run programs, or call functions outside of any.
    pulumi.runtime.resetOptions("project", "stack", -1, "", "", false, "");
  });
  return { registered };
}

/** The value of an output, which has to be known. */
export async function valueOf<Value>(output: pulumi.Output<Value>): Promise<Value> {
  // The SDK keeps this to itself; `apply` would never end where an output failed.
  return (output as unknown as { readonly promise: () => Promise<Value> }).promise();
}

/** Whether an output is known, which the SDK keeps to itself. */
export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as unknown as { readonly isKnown: Promise<boolean> }).isKnown;
}

/** What a program under mocks warns of, once everything that it has begun has been done. */
export async function warningsOf(program: () => Promise<void> | void): Promise<readonly string[]> {
  const warnings: string[] = [];
  const { warn } = console;
  console.warn = (text: unknown) => void warnings.push(String(text).replace("warning: [runtime] ", ""));
  try {
    await program();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    console.warn = warn;
  }
  return warnings;
}

/** Lets every resource that the program has declared be registered. */
export async function declared(...resources: readonly pulumi.Resource[]): Promise<void> {
  await Promise.all(resources.map((resource) => valueOf(resource.urn)));
}

/** What an input holds that travels as a secret; `undefined` when it does not. */
export function secretOf(input: unknown): unknown {
  return isMarked(input) ? Reflect.get(Object(input) as object, "value") : undefined;
}
