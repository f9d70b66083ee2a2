import { readFileSync } from "node:fs";
import path from "node:path";
import { messageOf } from "../base/errors";
import { type JsonObject, sameJson } from "../base/json";
import { showable } from "../base/shown-text";
import { providerSources } from "../connection/sources";
import { cancelWork, followEngine } from "../engine/cancellation";
import { actAsPlugin } from "../engine/process";
import type { CallFailure, CallHandler } from "../engine/calls";
import type { Content, Message } from "../engine/wire";
import { LifecycleError, PartialSuccessError } from "../resource/failure";
import type { CallDetails, Lifecycle, LifecycleDiff } from "../resource/lifecycle";
import { readableClass } from "../resource/registry";
import { configurationOf, ownAddresses } from "./configuration";
import { differences } from "./differences";
import * as messages from "./messages";
import { argumentsOf, foreignArguments, forEngine, forLifecycle, received } from "./values";

const root = path.join(__dirname, "..", "..");
const load = (module: string): object => require(`../${module}`) as object;

/** What takes longer to load than the plugin may take to start. */
const later = {
  lifecycles: () => require("../resource/lifecycles") as typeof import("../resource/lifecycles"),
  invoke: () => require("./invoke") as typeof import("./invoke"),
  services: () => require("../services") as typeof import("../services"),
  connect: () => require("../connection/connect") as typeof import("../connection/connect"),
};

/** Follows the engine that has started this process. */
export function follow(engineAddress: string | undefined): void {
  if (engineAddress !== undefined) {
    actAsPlugin(engineAddress);
  }
  followEngine();
}

let known: ((type: string) => Lifecycle) | undefined;
const configured = new WeakSet<Lifecycle>();
let configuration = configurationOf({});
/** What was read for an import: the engine then checks its inputs. */
const imported = new Set<string>();

/** Loads what the first resource needs, and connects to the services, while the engine starts the program. */
function prepare(): void {
  knownLifecycles();
  const sources = providerSources(configuration);
  for (const service of Object.values(later.services().services)) {
    later.connect().connectEarly(sources, service);
  }
}

function knownLifecycles(): (type: string) => Lifecycle {
  return (known ??= later.lifecycles().lifecycles(load, (lifecycle) => lifecycle));
}

/** The lifecycle of a resource, configured once. */
async function lifecycleOf(urn: string): Promise<Lifecycle> {
  const lifecycle = knownLifecycles()(typeOf(urn));
  if (!configured.has(lifecycle)) {
    configured.add(lifecycle);
    await lifecycle.configure?.({ config: { ...configuration, require: requireNothing } });
  }
  return lifecycle;
}

/** What the engine asks a provider plugin, over the same lifecycles as dynamic resources have. */
const methods: Readonly<Record<string, CallHandler>> = {
  GetPluginInfo: handler(messages.empty, messages.pluginInfo, () => {
    const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
      version: string;
    };
    return { version };
  }),

  GetSchema: handler(messages.empty, messages.schemaResponse, () => ({
    schema: readFileSync(path.join(root, "plugin", "schema.json"), "utf8"),
  })),

  CheckConfig: handler(messages.checkRequest, messages.checkResponse, ({ urn, news = {} }) => ({
    inputs: forEngine({ ...news, ...ownAddresses(urn, received(news).values) }),
  })),

  // Another address replaces nothing by itself: every object knows where it was made.
  DiffConfig: handler(messages.diffRequest, messages.diffResponse, ({ olds, news }) => {
    const isSame = sameJson(received(olds).values, received(news).values);
    return { changes: isSame ? messages.diffChanges.none : messages.diffChanges.some };
  }),

  Configure: handler(messages.configureRequest, messages.configureResponse, ({ args }) => {
    configuration = configurationOf(received(args).values);
    setImmediate(prepare);
    return { acceptsSecrets: true, supportsPreview: true };
  }),

  Check: handler(messages.checkRequest, messages.checkResponse, async ({ urn, olds, news = {} }) => {
    const foreign = foreignArguments(news);
    if (foreign.length > 0) {
      return { inputs: forEngine(news), failures: foreign };
    }
    const lifecycle = await lifecycleOf(urn);
    const { inputs, failures } = await lifecycle.check(argumentsOf(olds), forLifecycle(news, urn), {
      isImported: imported.delete(urn),
    });
    return { inputs: forEngine(inputs), failures };
  }),

  Diff: handler(messages.diffRequest, messages.diffResponse, async ({ id, urn, olds, news, oldInputs }) => {
    const lifecycle = await lifecycleOf(urn);
    const former = argumentsOf(oldInputs);
    const wanted = forLifecycle(news, urn);
    const found = await lifecycle.diff(id, forLifecycle(olds, urn), wanted, { former });
    return diffResponse(found, former, wanted);
  }),

  Create: handler(messages.createRequest, messages.createResponse, async (request, signal) => {
    const { urn } = request;
    const lifecycle = await lifecycleOf(urn);
    const inputs = forLifecycle(request.properties, urn);
    if (request.preview) {
      return { properties: forEngine(await lifecycle.preview(inputs)) };
    }
    const { id, outs } = await lifecycle.create(inputs, limitsOf(request, signal));
    return { id, properties: forEngine(outs) };
  }),

  Read: handler(messages.readRequest, messages.readResponse, async (request, signal) => {
    const { id, urn, properties = {} } = request;
    const lifecycle = await lifecycleOf(urn);
    const isKnown = Object.keys(properties).length > 0;
    if (!isKnown) {
      assertReadable(typeOf(urn));
    }
    const found = isKnown
      ? await lifecycle.read(id, forLifecycle(properties, urn), {
          ...limitsOf(request, signal),
          former: argumentsOf(request.inputs),
        })
      : await lifecycle.import(id);
    if (found?.props === undefined) {
      return {};
    }
    const { props, inputs } = found;
    if (!isKnown) {
      imported.add(urn);
    }
    return {
      id,
      properties: forEngine(props),
      inputs: inputs === undefined ? request.inputs : forEngine(inputs),
    };
  }),

  Update: handler(messages.updateRequest, messages.updateResponse, async (request, signal) => {
    const { id, urn } = request;
    const lifecycle = await lifecycleOf(urn);
    const olds = forLifecycle(request.olds, urn);
    const news = forLifecycle(request.news, urn);
    const former = argumentsOf(request.oldInputs);
    if (request.preview) {
      return { properties: forEngine(await lifecycle.preview(news, olds, { former })) };
    }
    const { outs } = await lifecycle.update(id, olds, news, {
      ...limitsOf(request, signal),
      former,
      ignored: request.ignoreChanges.map((ignored) => ignored.split(/[.[]/, 1)[0] ?? ignored),
    });
    return { properties: forEngine(outs) };
  }),

  Delete: handler(messages.deleteRequest, messages.empty, async (request, signal) => {
    const { id, urn } = request;
    const lifecycle = await lifecycleOf(urn);
    await lifecycle.delete(id, forLifecycle(request.properties, urn), {
      ...limitsOf(request, signal),
      former: argumentsOf(request.oldInputs),
    });
    return {};
  }),

  Invoke: handler(messages.invokeRequest, messages.invokeResponse, async ({ token, args }) => ({
    returned: forEngine(await later.invoke().invoke(token, received(args).values, configuration, load)),
  })),

  Cancel: handler(messages.empty, messages.empty, () => {
    cancelWork();
    return {};
  }),
};

/** @param path of a call: `/pulumirpc.ResourceProvider/Check` */
export function handlerOf(path: string): CallHandler | undefined {
  const [, service, method = ""] = path.split("/");
  return service === "pulumirpc.ResourceProvider" && Object.hasOwn(methods, method)
    ? methods[method]
    : undefined;
}

/**
 * Handles one kind of request. A thrown error reaches the engine as a status with its message.
 *
 * @param work its signal is aborted when the engine no longer waits for the result
 */
function handler<Request, Response>(
  request: Message<Request>,
  response: Message<Response>,
  work: (request: Request, signal: AbortSignal) => Partial<Response> | Promise<Partial<Response>>,
): CallHandler {
  return async (bytes, signal) => response.encode(await work(request.decode(bytes), signal));
}

/** An error as gRPC sends it; an object that exists nevertheless goes with it. */
export function failureOf(error: unknown): CallFailure {
  const message = showable(messageOf(error));
  if (!(error instanceof PartialSuccessError)) {
    return { message };
  }
  const { id, properties, reasons } = error;
  const value = messages.initFailed.encode({ id, properties: forEngine(properties), reasons });
  const type = "type.googleapis.com/pulumirpc.ErrorResourceInitFailed";
  return { message, details: messages.callStatus.encode({ code: 2, message, details: [{ type, value }] }) };
}

function diffResponse(
  { changed, changes, replaces, deleteBeforeReplace }: LifecycleDiff,
  former: JsonObject,
  news: JsonObject,
): Partial<Content<typeof messages.diffResponse>> {
  const details = [...new Set([...changed, ...replaces])].flatMap((name) => {
    const parts = differences(name, former[name] ?? null, news[name] ?? null);
    const isOfInputs = parts.length > 0;
    return (isOfInputs ? parts : [[name, "UPDATE"] as const]).map(([part, change]) => {
      const kind = messages.changeKinds[replaces.includes(name) ? (`${change}_REPLACE` as const) : change];
      return { path: part, difference: messages.propertyDiff.encode({ kind, isOfInputs }) };
    });
  });
  return {
    changes: changes === false ? messages.diffChanges.none : messages.diffChanges.some,
    replaces,
    deleteBeforeReplace,
    hasDetailedDiff: true,
    detailedDiff: details,
  };
}

/**
 * The library's own name of a resource's type: `secrets/mfa:TotpMethod`. State that was being moved from dynamic resources
 * when something failed may have the plugin's provider and still the former types.
 */
function typeOf(urn: string): string {
  const [, , types = ""] = urn.split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  return type.replace(/^(?:pulumi-nodejs:dynamic\/trivium\/|trivium:)/, "");
}

function limitsOf({ timeout }: { readonly timeout: number }, signal: AbortSignal): CallDetails {
  return timeout > 0 ? { timeout, signal } : { signal };
}

/** @throws LifecycleError when objects of a type cannot be read by their ids */
function assertReadable(type: string): void {
  if (readableClass(type, load) === undefined) {
    throw new LifecycleError(
      `Objects of ${type} cannot be imported: they cannot be read by their ids alone.`,
    );
  }
}

function requireNothing(key: string): never {
  throw new Error(`${key} is not required`);
}
