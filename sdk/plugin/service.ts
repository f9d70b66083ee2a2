import path from "node:path";
import type * as Messages from "@pulumi/pulumi/proto/provider_pb";
import { readFileSync } from "node:fs";
import type { handleUnaryCall } from "@grpc/grpc-js";
import { sameJson } from "../base/json";
import { showable } from "../base/shown-text";
import { providerSources } from "../connection/sources";
import { cancelWork, followEngine } from "../engine/cancellation";
import { logToEngine } from "../engine/progress";
import { LifecycleError } from "../engine/reports";
import { actAsPlugin } from "../engine/process";
import { requireFromSdk } from "../engine/sdk-modules";
import type { Lifecycle, Limits } from "../resource/lifecycle/lifecycle";
import { argumentsAt, collectClasses } from "../resource/definition";
import { encodeEntry, encodeSecrets, received } from "../resource/state/encoding";
import { checkSettings, configurationOf, ownAddresses } from "./configuration";
import type { Method } from "./methods";
import { programIsPreview } from "./no-program";
import {
  checkResponse,
  diffResponse,
  Empty,
  failureOf,
  messages,
  objectIn,
  stored,
  structOf,
} from "./responses";
import { functionTokens, root, schemaText, unknownToken } from "./tokens";
import { argumentsOf, entryIn, foreignArguments, programIn } from "./values";
import { limitYoungGeneration } from "./young-generation";

/** Loaded on first use, because the plugin has to start quickly. */
const later = {
  library: () => require("../index") as typeof import("../index"),
  lifecycles: () =>
    require("../resource/lifecycle/lifecycle") as typeof import("../resource/lifecycle/lifecycle"),
  invoke: () => require("./invoke") as typeof import("./invoke"),
  services: () => require("../services") as typeof import("../services"),
  connect: () => require("../connection/connect") as typeof import("../connection/connect"),
};

export function follow(engineAddress: string | undefined): void {
  if (engineAddress !== undefined) {
    actAsPlugin(engineAddress);
  }
  followEngine();
  limitYoungGeneration();
}

let classes: ReturnType<typeof collectClasses> | undefined;
let known: ((type: string) => Lifecycle) | undefined;
const configured = new WeakSet<Lifecycle>();
let configuration = configurationOf({});
/** URNs that were read for an import; the engine checks their inputs next. */
const imported = new Set<string>();

/** Runs while the engine starts the program. */
function prepare(): void {
  knownLifecycles();
  const sources = providerSources(configuration);
  for (const service of Object.values(later.services().services)) {
    later.connect().connectEarly(sources, service);
  }
}

function knownClasses(): ReturnType<typeof collectClasses> {
  return (classes ??= collectClasses(later.library()));
}

function knownLifecycles(): (type: string) => Lifecycle {
  return (known ??= later.lifecycles().lifecycles(knownClasses(), (lifecycle) => lifecycle));
}

async function lifecycleOf(urn: string): Promise<Lifecycle> {
  const type = typeOf(urn);
  if (!knownClasses().has(type)) {
    const text = unknownToken("resource type", `trivium:${type}`, [...knownClasses().keys()]);
    throw new LifecycleError(
      `${text} If a newer version wrote the state, upgrade pulumi-trivium in this project.`,
    );
  }
  const lifecycle = knownLifecycles()(type);
  if (!configured.has(lifecycle)) {
    configured.add(lifecycle);
    await lifecycle.configure({ config: { ...configuration, require: requireNothing } });
  }
  return lifecycle;
}

export const handlers: Readonly<Record<Method, handleUnaryCall<never, unknown>>> = {
  getPluginInfo: handler(() => {
    const { PluginInfo } = requireFromSdk<typeof import("@pulumi/pulumi/proto/plugin_pb")>(
      "@pulumi/pulumi/proto/plugin_pb",
    );
    const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
      version: string;
    };
    return new PluginInfo().setVersion(version);
  }),

  getSchema: handler(() => new messages.GetSchemaResponse().setSchema(schemaText())),

  checkConfig: handler((request: Messages.CheckRequest) => {
    const news = objectIn(request.getNews()) ?? {};
    const { inputs, problems, warnings } = checkSettings(news);
    warnings.forEach((warning) => logToEngine("warning", undefined, `${warning} It has no effect.`));
    const own = ownAddresses(request.getUrn(), received(news).values);
    return checkResponse(
      { ...inputs, ...own },
      // If a failure named a property, the engine would print its value.
      problems.map((reason) => ({ property: "", reason: showable(reason) })),
    );
  }),

  // A new address alone does not cause replacements: state records the service that created each object.
  diffConfig: handler((request: Messages.DiffRequest) => {
    const olds = received(objectIn(request.getOlds())).values;
    const isSame = sameJson(olds, received(objectIn(request.getNews())).values);
    const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
    return new messages.DiffResponse().setChanges(isSame ? DIFF_NONE : DIFF_SOME);
  }),

  configure: handler((request: Messages.ConfigureRequest) => {
    configuration = configurationOf(received(objectIn(request.getArgs())).values);
    setImmediate(prepare);
    return new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
  }),

  check: handler(async (request: Messages.CheckRequest) => {
    const urn = request.getUrn();
    const news = objectIn(request.getNews()) ?? {};
    const foreign = foreignArguments(news);
    if (foreign.length > 0) {
      return checkResponse(news, foreign);
    }
    const lifecycle = await lifecycleOf(urn);
    const former = argumentsOf(objectIn(request.getOlds()));
    const program = programIn(news, urn);
    const isNew = Object.keys(former).length === 0;
    const { args, failures } = await lifecycle.check(
      program,
      isNew ? undefined : former,
      imported.delete(urn),
    );
    return checkResponse(encodeSecrets(lifecycle.definition, args, program.secrets), failures);
  }),

  diff: handler(async (request: Messages.DiffRequest) => {
    const urn = request.getUrn();
    const lifecycle = await lifecycleOf(urn);
    const former = argumentsOf(objectIn(request.getOldInputs()));
    const entry = entryIn(objectIn(request.getOlds()), urn);
    const program = programIn(objectIn(request.getNews()), urn);
    const difference = await lifecycle.diff(request.getId(), entry, program, former);
    return diffResponse(difference, former, program.args);
  }),

  create: handler(async (request: Messages.CreateRequest, signal) => {
    const urn = request.getUrn();
    const lifecycle = await lifecycleOf(urn);
    const program = programIn(objectIn(request.getProperties()), urn);
    if (request.getPreview()) {
      const foreseen = encodeSecrets(lifecycle.definition, await lifecycle.preview(program), program.secrets);
      return new messages.CreateResponse().setProperties(structOf(foreseen));
    }
    const written = await lifecycle.create(program, limitsOf(request, signal));
    return new messages.CreateResponse().setId(written.id).setProperties(stored(lifecycle, written));
  }),

  read: handler(async (request: Messages.ReadRequest, signal) => {
    const urn = request.getUrn();
    const id = request.getId();
    const properties = objectIn(request.getProperties()) ?? {};
    const lifecycle = await lifecycleOf(urn);
    const { definition } = lifecycle;
    const isKnown = Object.keys(properties).length > 0;
    if (!isKnown && knownClasses().get(typeOf(urn))?.get === undefined) {
      throw new LifecycleError(
        `Objects of ${typeOf(urn)} cannot be imported: they cannot be read by their IDs alone.`,
      );
    }
    const former = argumentsOf(objectIn(request.getInputs()));
    const found = isKnown
      ? await lifecycle.read(id, entryIn(properties, urn), limitsOf(request, signal), former)
      : await lifecycle.import(id);
    if (found === undefined) {
      return new messages.ReadResponse();
    }
    const { entry, args } = found;
    if (!isKnown) {
      imported.add(urn);
    }
    return new messages.ReadResponse()
      .setId(id)
      .setProperties(structOf(encodeEntry(definition, entry)))
      .setInputs(
        args === undefined ? request.getInputs() : structOf(encodeSecrets(definition, args, entry.secrets)),
      );
  }),

  update: handler(async (request: Messages.UpdateRequest, signal) => {
    const urn = request.getUrn();
    const lifecycle = await lifecycleOf(urn);
    const entry = entryIn(objectIn(request.getOlds()), urn);
    const program = programIn(objectIn(request.getNews()), urn);
    const former = argumentsOf(objectIn(request.getOldInputs()));
    if (request.getPreview()) {
      const foreseen = await lifecycle.preview(program, entry, former);
      // Values that were removed from the program might have been secret.
      const secrets = [...program.secrets, ...entry.secrets];
      return new messages.UpdateResponse().setProperties(
        structOf(encodeSecrets(lifecycle.definition, foreseen, secrets)),
      );
    }
    const written = await lifecycle.update(request.getId(), entry, program, {
      limits: limitsOf(request, signal),
      former,
      ignored: argumentsAt(request.getIgnorechangesList(), lifecycle.definition),
    });
    return new messages.UpdateResponse().setProperties(stored(lifecycle, written));
  }),

  delete: handler(async (request: Messages.DeleteRequest, signal) => {
    const urn = request.getUrn();
    const lifecycle = await lifecycleOf(urn);
    await lifecycle.delete(
      request.getId(),
      entryIn(objectIn(request.getProperties()), urn),
      limitsOf(request, signal),
      argumentsOf(objectIn(request.getOldInputs())),
    );
    return new Empty();
  }),

  invoke: handler(async (request: Messages.InvokeRequest) => {
    const args = received(objectIn(request.getArgs())).values;
    const token = request.getTok();
    programIsPreview(request.getPreview());
    const returned = await later.invoke().invoke(token, args, configuration, later.library());
    if (returned === undefined) {
      throw new LifecycleError(unknownToken("function", token, functionTokens()));
    }
    return new messages.InvokeResponse().setReturn(structOf(returned));
  }),

  cancel: handler(() => {
    cancelWork();
    return new Empty();
  }),
};

/** @param work the work, whose signal is aborted when the engine no longer waits for the result */
function handler<Request, Response>(
  work: (request: Request, signal: AbortSignal) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    const controller = new AbortController();
    const abandon = (): void => controller.abort();
    call.on("cancelled", abandon);
    Promise.resolve()
      .then(() => work(call.request, controller.signal))
      // gRPC emits "cancelled" even for calls that have ended.
      .finally(() => call.off("cancelled", abandon))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(failureOf(error)),
      );
  };
}

/** After an interrupted move from dynamic resources, state can still contain their types. */
function typeOf(urn: string): string {
  const [, , types = ""] = urn.split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  return type.replace(/^(?:pulumi-nodejs:dynamic\/trivium\/|trivium:)/, "");
}

function limitsOf(request: { getTimeout(): number }, signal: AbortSignal): Limits {
  const timeout = request.getTimeout();
  return timeout > 0 ? { timeout, signal } : { signal };
}

function requireNothing(key: string): never {
  throw new Error(`${key} is not required`);
}
