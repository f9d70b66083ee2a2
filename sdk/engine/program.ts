/** Access to internals of the SDK in a program. Each part has a fallback for an SDK without that internal. */
import { isPromise } from "node:util/types";
import * as pulumi from "@pulumi/pulumi";
import type { JsonObject } from "../base/json";
import { requireFromSdk } from "./sdk-modules";

/** An output's value, whether it is known, and which resources it comes from. */
export interface OutputInternals<Value> {
  readonly isKnown: Promise<boolean>;
  promise(): Promise<Value>;
  allResources(): Promise<ReadonlySet<pulumi.Resource>>;
}

interface AppliedToUnknowns extends OutputInternals<unknown> {
  apply(work: (value: unknown) => unknown, runsWithUnknowns: true): pulumi.Output<unknown>;
}

function hasInternals(output: object): output is AppliedToUnknowns {
  return (
    isPromise(Reflect.get(output, "isKnown")) &&
    ["promise", "allResources", "apply"].every((name) => typeof Reflect.get(output, name) === "function")
  );
}

export function internalsOf<Value>(output: pulumi.Output<Value>): OutputInternals<Value> {
  return hasInternals(output)
    ? (output as unknown as OutputInternals<Value>)
    : {
        // In a preview, `apply` does not distinguish an unknown value from one that is not resolved yet.
        isKnown: Promise.resolve(!pulumi.runtime.isDryRun()),
        promise: () => new Promise((resolve) => void output.apply((value) => resolve(value))),
        allResources: () => Promise.resolve(new Set()),
      };
}

/**
 * Replaces outputs of a resource, even unknown ones, with the results of `work`, which runs once an output is
 * used.
 *
 * @returns the former outputs; none if this SDK's outputs cannot be replaced
 */
export function replaceOutputs<Value>(
  resource: pulumi.Resource,
  names: readonly string[],
  work: (name: string, value: unknown) => Promise<unknown>,
): Readonly<Record<string, OutputInternals<Value>>> {
  const former = names
    .map((name) => [name, Reflect.get(resource, name) as unknown] as const)
    .filter((entry): entry is [string, AppliedToUnknowns] => hasInternals(Object(entry[1]) as object));
  for (const [name, output] of former) {
    let shown: pulumi.Output<unknown> | undefined;
    Reflect.defineProperty(resource, name, {
      enumerable: true,
      configurable: true,
      get: () => (shown ??= output.apply((value) => work(name, value), true)),
    });
  }
  return Object.fromEntries(former) as Readonly<Record<string, OutputInternals<Value>>>;
}

/** Of a component. */
export function childrenOf(resource: pulumi.Resource): readonly pulumi.Resource[] {
  const { __childResources: children } = resource as { readonly __childResources?: unknown };
  return children instanceof Set ? [...(children as ReadonlySet<pulumi.Resource>)] : [];
}

export function tokenOf(resource: unknown): unknown {
  return (Object(resource) as { readonly __pulumiType?: unknown }).__pulumiType;
}

/** Each copy of the SDK has its own class of monitors. */
export function mocks(): Partial<pulumi.runtime.Mocks> | undefined {
  return ((pulumi.runtime.getMonitor() ?? {}) as { readonly mocks?: pulumi.runtime.Mocks }).mocks;
}

/**
 * Calls a function of the engine itself. Unlike that of `invoke`, the result shows what is secret.
 *
 * @returns the result of `invoke` if this SDK's messages differ
 */
export async function callEngine(token: string, args: JsonObject): Promise<JsonObject> {
  const { monitor, request } = engineCall(token, args) ?? {};
  if (monitor === undefined) {
    return (await pulumi.runtime.invoke(token, args)) as JsonObject;
  }
  const done = keepAlive();
  return new Promise<JsonObject>((resolve, reject) => {
    monitor.invoke(request, (error, response) => {
      if (error !== null) {
        reject(new Error(error.details));
        return;
      }
      resolve(response?.getReturn()?.toJavaScript() ?? {});
    });
  }).finally(done);
}

/** The program does not end until the returned function is called. */
function keepAlive(): () => void {
  const { rpcKeepAlive } = pulumi.runtime as { readonly rpcKeepAlive?: () => () => void };
  return rpcKeepAlive?.() ?? (() => undefined);
}

interface Monitor {
  invoke(
    request: unknown,
    done: (
      error: { readonly details: string } | null,
      response?: { getReturn(): { toJavaScript(): JsonObject } | undefined },
    ) => void,
  ): void;
}

function engineCall(token: string, args: JsonObject) {
  const monitor = pulumi.runtime.getMonitor() as Monitor | undefined;
  try {
    const { ResourceInvokeRequest } = requireFromSdk<{
      readonly ResourceInvokeRequest: new () => Record<"setTok" | "setArgs", (value: unknown) => void>;
    }>("@pulumi/pulumi/proto/resource_pb");
    const { Struct } = requireFromSdk<{
      readonly Struct: { fromJavaScript(value: JsonObject): unknown };
    }>("google-protobuf/google/protobuf/struct_pb");
    const request = new ResourceInvokeRequest();
    request.setTok(token);
    request.setArgs(Struct.fromJavaScript(args));
    return monitor && { monitor, request };
  } catch {
    return undefined;
  }
}

/** The arguments that the SDK passes to mocks of resources. */
export async function referenceOf(provider: pulumi.ProviderResource): Promise<string | undefined> {
  const { register } = pulumi.ProviderResource as unknown as {
    readonly register?: (provider: pulumi.ProviderResource) => Promise<string | undefined>;
  };
  return register?.call(pulumi.ProviderResource, provider);
}

/**
 * Until the returned function is called, the stacks that the SDK stores for reports of leaked promises are
 * empty. The SDK reads one for each of a resource's dozens of promises, and with source maps this takes
 * longer than everything else in a program with many resources. The reports still name the resource. All
 * other stacks are complete.
 */
export function skipLeakStacks(): () => void {
  // Source maps set this function.
  const stacks: { prepareStackTrace?: (error: Error, frames: NodeJS.CallSite[]) => unknown } = Error;
  const { prepareStackTrace: former } = stacks;
  if (former === undefined || (process.env.PULUMI_DEBUG_PROMISE_LEAKS ?? "") !== "") {
    return () => undefined;
  }
  stacks.prepareStackTrace = (error, frames) =>
    frames[0]?.getFunctionName() === "debuggablePromise" ? String(error) : former(error, frames);
  return () => {
    stacks.prepareStackTrace = former;
  };
}
