import { readFileSync } from "node:fs";
import path from "node:path";
import type {
  handleUnaryCall,
  sendUnaryData,
  ServerUnaryCall,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type * as Messages from "@pulumi/pulumi/proto/provider_pb";
import { messageOf } from "../base/errors";
import { type JsonObject, sameJson } from "../base/json";
import { showable } from "../base/shown-text";
import { cancelWork } from "../engine/cancellation";
import { requireFromSdk } from "../engine/sdk-modules";
import { LifecycleError, PartialSuccessError } from "../resource/failure";
import type { CallDetails, Lifecycle, LifecycleDiff } from "../resource/lifecycle";
import { lifecycles } from "../resource/lifecycles";
import { readableClass } from "../resource/registry";
import { configurationOf, ownAddresses } from "./configuration";
import { differences } from "./differences";
import { invoke } from "./invoke";
import { argumentsOf, forLifecycle, received, toStruct } from "./values";

const root = path.join(__dirname, "..", "..");
const load = (module: string): object => require(`../${module}`) as object;

/** What the engine asks a provider plugin, over the same lifecycles as dynamic resources have. */
export function providerService(): UntypedServiceImplementation {
  const messages = requireFromSdk<typeof Messages>("@pulumi/pulumi/proto/provider_pb");
  const { Empty } = requireFromSdk<typeof import("google-protobuf/google/protobuf/empty_pb")>(
    "google-protobuf/google/protobuf/empty_pb",
  );
  const known = lifecycles(load);
  const configured = new WeakSet<Lifecycle>();
  let configuration = configurationOf({});
  /** What was read for an import: the engine then checks its inputs. */
  const imported = new Set<string>();

  /** The lifecycle of a resource, configured once. */
  const lifecycleOf = async (urn: string): Promise<Lifecycle> => {
    const lifecycle = known(typeOf(urn));
    if (!configured.has(lifecycle)) {
      configured.add(lifecycle);
      await lifecycle.configure?.({ config: { ...configuration, require: requireNothing } });
    }
    return lifecycle;
  };

  return {
    getPluginInfo: unary(() => {
      const { PluginInfo } = requireFromSdk<typeof import("@pulumi/pulumi/proto/plugin_pb")>(
        "@pulumi/pulumi/proto/plugin_pb",
      );
      const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
        version: string;
      };
      return new PluginInfo().setVersion(version);
    }),

    getSchema: unary(() =>
      new messages.GetSchemaResponse().setSchema(
        readFileSync(path.join(root, "plugin", "schema.json"), "utf8"),
      ),
    ),

    checkConfig: unary((request: Messages.CheckRequest) => {
      const news = request.getNews()?.toJavaScript() ?? {};
      const inputs = { ...news, ...ownAddresses(request.getUrn(), received(request.getNews()).values) };
      return new messages.CheckResponse().setInputs(toStruct(inputs));
    }),

    // Another address replaces nothing by itself: every object knows where it was made.
    diffConfig: unary((request: Messages.DiffRequest) => {
      const isSame = sameJson(received(request.getOlds()).values, received(request.getNews()).values);
      const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
      return new messages.DiffResponse().setChanges(isSame ? DIFF_NONE : DIFF_SOME);
    }),

    configure: unary((request: Messages.ConfigureRequest) => {
      configuration = configurationOf(received(request.getArgs()).values);
      return new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),

    check: unary(async (request: Messages.CheckRequest) => {
      const urn = request.getUrn();
      const lifecycle = await lifecycleOf(urn);
      const { inputs, failures } = await lifecycle.check(
        argumentsOf(request.getOlds()),
        forLifecycle(request.getNews(), urn),
        { isImported: imported.delete(urn) },
      );
      return new messages.CheckResponse()
        .setInputs(toStruct(inputs))
        .setFailuresList(
          failures.map(({ property, reason }) =>
            new messages.CheckFailure().setProperty(property).setReason(reason),
          ),
        );
    }),

    diff: unary(async (request: Messages.DiffRequest) => {
      const urn = request.getUrn();
      const lifecycle = await lifecycleOf(urn);
      const former = argumentsOf(request.getOldInputs());
      const news = forLifecycle(request.getNews(), urn);
      const found = await lifecycle.diff(request.getId(), forLifecycle(request.getOlds(), urn), news, {
        former,
      });
      return diffResponse(messages, found, former, news);
    }),

    create: unary(async (request: Messages.CreateRequest, signal) => {
      const urn = request.getUrn();
      const lifecycle = await lifecycleOf(urn);
      const inputs = forLifecycle(request.getProperties(), urn);
      if (request.getPreview()) {
        return new messages.CreateResponse().setProperties(toStruct(await lifecycle.preview(inputs)));
      }
      const { id, outs } = await lifecycle.create(inputs, limitsOf(request, signal));
      return new messages.CreateResponse().setId(id).setProperties(toStruct(outs));
    }),

    read: unary(async (request: Messages.ReadRequest, signal) => {
      const urn = request.getUrn();
      const id = request.getId();
      const lifecycle = await lifecycleOf(urn);
      const response = new messages.ReadResponse();
      const isKnown = Object.keys(received(request.getProperties()).values).length > 0;
      if (!isKnown) {
        assertReadable(typeOf(urn));
      }
      const found = isKnown
        ? await lifecycle.read(id, forLifecycle(request.getProperties(), urn), {
            ...limitsOf(request, signal),
            former: argumentsOf(request.getInputs()),
          })
        : await lifecycle.import(id);
      if (found?.props === undefined) {
        return response;
      }
      const { props, inputs } = found;
      if (!isKnown) {
        imported.add(urn);
      }
      return response
        .setId(id)
        .setProperties(toStruct(props))
        .setInputs(inputs === undefined ? request.getInputs() : toStruct(inputs));
    }),

    update: unary(async (request: Messages.UpdateRequest, signal) => {
      const urn = request.getUrn();
      const lifecycle = await lifecycleOf(urn);
      const olds = forLifecycle(request.getOlds(), urn);
      const news = forLifecycle(request.getNews(), urn);
      const former = argumentsOf(request.getOldInputs());
      if (request.getPreview()) {
        const foreseen = await lifecycle.preview(news, olds, { former });
        return new messages.UpdateResponse().setProperties(toStruct(foreseen));
      }
      const { outs } = await lifecycle.update(request.getId(), olds, news, {
        ...limitsOf(request, signal),
        former,
        ignored: request.getIgnorechangesList().map((ignored) => ignored.split(/[.[]/, 1)[0] ?? ignored),
      });
      return new messages.UpdateResponse().setProperties(toStruct(outs));
    }),

    delete: unary(async (request: Messages.DeleteRequest, signal) => {
      const urn = request.getUrn();
      const lifecycle = await lifecycleOf(urn);
      await lifecycle.delete(request.getId(), forLifecycle(request.getProperties(), urn), {
        ...limitsOf(request, signal),
        former: argumentsOf(request.getOldInputs()),
      });
      return new Empty();
    }),

    invoke: unary(async (request: Messages.InvokeRequest) => {
      const args = received(request.getArgs()).values;
      const result = await invoke(request.getTok(), args, configuration, load);
      return new messages.InvokeResponse().setReturn(toStruct(result));
    }),

    cancel: unary(() => {
      cancelWork();
      return new Empty();
    }),
  };
}

/**
 * Handles one kind of request. A thrown error reaches the engine as a status with its message.
 *
 * @param work its signal is aborted when the engine no longer waits for the result
 */
function unary<Request, Response>(
  work: (request: Request, signal: AbortSignal) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => {
    const controller = new AbortController();
    const abandon = (): void => controller.abort();
    call.on("cancelled", abandon);
    Promise.resolve()
      .then(() => work(call.request, controller.signal))
      // gRPC says so of every call once it has ended.
      .finally(() => call.off("cancelled", abandon))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(failureOf(error)),
      );
  };
}

/** An error as gRPC sends it; an object that exists nevertheless goes with it. */
function failureOf(error: unknown): Parameters<sendUnaryData<unknown>>[0] {
  const { Metadata, status } = requireFromSdk<typeof import("@grpc/grpc-js")>("@grpc/grpc-js");
  const details = showable(messageOf(error));
  const metadata = new Metadata();
  if (error instanceof PartialSuccessError) {
    const { ErrorResourceInitFailed } = requireFromSdk<typeof Messages>("@pulumi/pulumi/proto/provider_pb");
    const { Status } = requireFromSdk<typeof import("@pulumi/pulumi/proto/status_pb")>(
      "@pulumi/pulumi/proto/status_pb",
    );
    const { Any } = requireFromSdk<typeof import("google-protobuf/google/protobuf/any_pb")>(
      "google-protobuf/google/protobuf/any_pb",
    );
    const failed = new ErrorResourceInitFailed()
      .setId(error.id)
      .setProperties(toStruct(error.properties))
      .setReasonsList([...error.reasons]);
    const any = new Any();
    any.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    // eslint-disable-next-line no-restricted-syntax -- an error, and no line of the engine's log
    const failure = new Status().setCode(status.UNKNOWN).setMessage(details).setDetailsList([any]);
    metadata.add("grpc-status-details-bin", Buffer.from(failure.serializeBinary()));
  }
  return { code: status.UNKNOWN, details, metadata };
}

function diffResponse(
  messages: typeof Messages,
  { changed, changes, replaces, deleteBeforeReplace }: LifecycleDiff,
  former: JsonObject,
  news: JsonObject,
): Messages.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse()
    .setChanges(changes === false ? DIFF_NONE : DIFF_SOME)
    .setReplacesList(replaces)
    .setDeletebeforereplace(deleteBeforeReplace)
    .setHasdetaileddiff(true);
  const { Kind } = messages.PropertyDiff;
  const details = response.getDetaileddiffMap();
  for (const name of new Set([...changed, ...replaces])) {
    const parts = differences(name, former[name] ?? null, news[name] ?? null);
    for (const [part, change] of parts.length === 0 ? [[name, "UPDATE"] as const] : parts) {
      const kind = Kind[replaces.includes(name) ? (`${change}_REPLACE` as const) : change];
      details.set(part, new messages.PropertyDiff().setKind(kind).setInputdiff(parts.length > 0));
    }
  }
  return response;
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

function limitsOf(request: { getTimeout(): number }, signal: AbortSignal): CallDetails {
  const timeout = request.getTimeout();
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
