import { setMaxListeners } from "node:events";
import type { dynamic } from "@pulumi/pulumi";
import { z } from "zod";
import { connect, knownTime, assertSameService, isSameService, serviceOf } from "../../connection/connect";
import { dialectOf, foresee, type ResolvedSettings } from "../../connection/resolve";
import { providerSources, type Sources } from "../../connection/sources";
import { timerMilliseconds } from "../../base/timing";
import { showable } from "../../base/shown-text";
import {
  cancellationSignal,
  followEngine,
  reportable,
  LifecycleError,
  silenceEmptyReports,
  logToEngine,
} from "../../engine/calls";
import { sharedNotes } from "../../engine/shared-notes";
import { checkArguments, type CheckFailure, clearRemoved, sentValue } from "./check";
import type { ServiceName } from "../../base/settings";
import { type AnyResourceDefinition, inDialect, classOf } from "../definition";
import { compare, foreseenOutputs } from "./comparison";
import { asManaged, importObject, deleteObject, type ObjectContext, readObject } from "./object";
import type { JsonObject } from "../../base/json";
import { hiddenKeys, noRunOptions, type RunOptions, takeRunOptions, urnIn } from "../state/protocol";
import { secretNames, withMarkedSecrets, wrapSecrets, rememberSecrets, managedOf } from "../state/outputs";
import { createObject, updateObject } from "./writing";
import { Ownership } from "./ownership";

/** The reason in a plan for the replacement of an expired lease. */
const endOfLife = "expiresAt";
/** The engine's own reason for a replacement because of another provider. */
const anotherProvider = "provider";

export interface CallDetails {
  /** In seconds. Default: no limit. */
  readonly timeout?: number;
  /** Aborted when the engine no longer waits for the result. */
  readonly signal?: AbortSignal;
  /** From `ignoreChanges`. Default: those from check. */
  readonly ignored?: readonly string[];
  /** The inputs in state, needed for an object that the plugin imported. Default: a dynamic provider wrote it. */
  readonly former?: JsonObject;
  /** An update without changes rewrites state. Default: it continues an incomplete operation. */
  readonly isComplete?: boolean;
}

export interface LifecycleDiff extends dynamic.DiffResult {
  readonly replaces: string[];
  readonly deleteBeforeReplace: boolean;
  /** The arguments whose desired values are not yet in the service, or in state. */
  readonly changed: ReadonlySet<string>;
}

export interface FoundResource {
  readonly id: string;
  readonly props: JsonObject;
  readonly inputs?: JsonObject;
}

/** For both adapters. */
export interface Lifecycle extends dynamic.ResourceProvider {
  diff(id: string, olds: JsonObject, news: JsonObject, details?: CallDetails): Promise<LifecycleDiff>;
  /** The inputs of an imported object lack what the service never returns. */
  check(
    olds: JsonObject,
    news: JsonObject,
    details?: { readonly isImported: boolean },
  ): Promise<{ inputs: JsonObject; failures: CheckFailure[] }>;
  create(inputs: JsonObject, details?: CallDetails): Promise<{ id: string; outs: JsonObject }>;
  /** Makes no request. Without `olds`, the object is to be created. */
  preview(inputs: JsonObject, olds?: JsonObject, details?: CallDetails): Promise<JsonObject>;
  read(id: string, properties?: JsonObject, details?: CallDetails): Promise<Partial<FoundResource>>;
  import(id: string): Promise<FoundResource | undefined>;
  update(
    id: string,
    olds: JsonObject,
    news: JsonObject,
    details?: CallDetails,
  ): Promise<{ outs: JsonObject }>;
  delete(id: string, properties: JsonObject, details?: CallDetails): Promise<void>;
}

/** Hooks receive clear text, and placeholders for unknown values. Their results and errors are made safe here. */
export function createLifecycle(plainDefinition: AnyResourceDefinition): Lifecycle {
  let sources: Sources = providerSources(undefined);
  silenceEmptyReports();
  followEngine();

  const { service: remote } = plainDefinition;
  const service = remote.name;
  const views = {
    documented: inDialect(plainDefinition, "documented"),
    hashicorp: inDialect(plainDefinition, "hashicorp"),
  };
  const currentView = (): AnyResourceDefinition => views[dialectOf(sources, service)];
  /** By URN: only check receives them, and other hooks need them. */
  const runs = new Map<string, RunOptions>();
  /** By id: the outputs that read and delete receive may have a former URN. */
  const urns = new Map<string, string>();
  /** The ids in state, by URN. */
  const ids = new Map<string, string>();
  const urnOf = (id: string): { urn?: string } => {
    const urn = urns.get(id);
    return urn === undefined ? {} : { urn };
  };
  const notes = sharedNotes();
  const ownershipAt = (settings: ResolvedSettings): Ownership =>
    new Ownership(views[settings.dialect], settings.dialect, serviceOf(settings), notes);
  const context = (
    values: JsonObject,
    {
      urn = urnIn(values, plainDefinition.type),
      timeout,
      signal,
      ignored,
    }: CallDetails & { urn?: string } = {},
  ): ObjectContext => {
    const connection = connect(sources, remote);
    const run = runs.get(urn ?? "") ?? noRunOptions;
    return {
      definition: definitionFor(values),
      connection,
      dialect: dialectOf(sources, service),
      urn,
      ownership: ownershipAt(connection.settings),
      run: ignored === undefined ? run : { ...run, ignored },
      signal: limitedSignal(timeout, signal),
    };
  };
  /** Also registers the secrets among the values for redaction. */
  const definitionFor = (values: JsonObject): AnyResourceDefinition => {
    const definition = withMarkedSecrets(currentView(), values);
    rememberSecrets(definition, values);
    return definition;
  };
  const understood = (stored: JsonObject, { former }: CallDetails, news = former): JsonObject =>
    former === undefined ? stored : asManaged(currentView(), stored, former, news);
  const hook = <Result>(work: () => Promise<Result>, timeout?: number): Promise<Result> =>
    reportable(plainDefinition.type, work, timeout);

  return {
    // The engine calls other hooks before this one has returned, so it only stores the sources.
    configure(request) {
      sources = providerSources(request.config);
      return Promise.resolve();
    },

    check: (olds: JsonObject, news: JsonObject, { isImported } = { isImported: false }) =>
      hook(() => {
        const definition = definitionFor(news);
        const dialect = dialectOf(sources, service);
        const { inputs: requested, run } = takeRunOptions(news);
        const urn = urnIn(news, plainDefinition.type);
        if (urn !== undefined) {
          runs.set(urn, run);
        }
        // A second check, without former inputs, begins a replacement.
        const formerId = Object.keys(olds).length === 0 ? ids.get(urn ?? "") : undefined;
        const inputs = clearRemoved(definition, dialect, definition.schema(z, dialect), olds, requested);
        const { failures: all, warnings } = checkArguments(definition, z, dialect, inputs);
        const isNeverReturned = ({ property }: CheckFailure): boolean =>
          definition.arguments[property]?.writeOnly === true && inputs[property] === undefined;
        const failures = isImported ? all.filter((failure) => !isNeverReturned(failure)) : all;
        const { settings } = foresee(sources, service);
        const taken =
          failures.length > 0 || settings === undefined ? undefined : ownershipAt(settings).claim(inputs);
        if (settings !== undefined && urn !== undefined && formerId !== undefined) {
          ownershipAt(settings).leave(formerId, urn);
        }
        for (const warning of warnings) {
          logToEngine("warning", urn, warning);
        }
        const isNew = Object.keys(olds).length === 0;
        if (isNew && plainDefinition.ended !== undefined && settings?.login !== undefined) {
          logToEngine("information", urn, endsWithLogin);
        }
        const confidential = new Set(secretNames(definition));
        return Promise.resolve({
          inputs: wrapSecrets(definition, inputs),
          failures: [
            ...failures.map((failure) => presentable(failure, confidential, inputs)),
            ...(taken === undefined ? [] : [{ property: "", reason: taken }]),
            ...connectionFailures(sources, service),
          ],
        });
      }),

    diff: (id, stored: JsonObject, news: JsonObject, details = {}) =>
      hook(() => {
        const definition = currentView();
        const olds = understood(stored, details, news);
        const urn = urnIn(news, plainDefinition.type);
        if (urn !== undefined) {
          urns.set(id, urn);
          ids.set(urn, id);
        }
        const run = runs.get(urn ?? "");
        const { settings } = foresee(sources, service);
        const moves = settings !== undefined && leadsElsewhere(settings, olds, run);
        // A refresh also calls diff for a resource that was removed from the program, which was not checked.
        if (settings !== undefined && run !== undefined && !moves) {
          ownershipAt(settings).hold(id, olds, urn);
        }
        const { changed, replaces, managedDiffers } = compare(definition, olds, news);
        const ended = plainDefinition.ended?.(olds, news, knownTime(sources, service));
        if (ended !== undefined) {
          logToEngine("information", urn, ended);
        }
        const causes = [
          ...replaces,
          ...(ended === undefined ? [] : [endOfLife]),
          ...(moves ? [anotherProvider] : []),
        ];
        return Promise.resolve({
          changed,
          // If omitted, the engine compares the inputs itself, shows which changed and respects replaceOnChanges.
          changes:
            managedDiffers || ended !== undefined || moves ? true : changed.size > 0 ? undefined : false,
          replaces: causes,
          deleteBeforeReplace:
            plainDefinition.deleteBeforeReplace === true ||
            // A replacement for other reasons would collide with the object itself.
            (causes.length === 0 && plainDefinition.find !== undefined),
        });
      }),

    create: (inputs: JsonObject, details = {}) =>
      hook(async () => {
        const { id, outputs } = await createObject(context(inputs, details), inputs);
        return { id, outs: outputs };
      }, details.timeout),

    preview: (inputs, stored, details = {}) =>
      hook(() => {
        const definition = definitionFor(inputs);
        const dialect = dialectOf(sources, service);
        const schema = definition.schema(z, dialect);
        const foreseen = foreseenOutputs(definition, {
          dialect,
          inputs,
          former: stored && understood(stored, details, inputs),
          sent: (name, value) => sentValue(schema, z, name, value),
        });
        // What was removed from the program may have been secret.
        const formerly = definitionFor(stored ?? {});
        return Promise.resolve(wrapSecrets(definition, wrapSecrets(formerly, foreseen)));
      }),

    read: (id, stored: JsonObject = {}, details = {}) =>
      hook(async () => {
        const at = context(stored, { ...details, ...urnOf(id) });
        const isImported = details.former !== undefined && managedOf(plainDefinition, stored) === undefined;
        const found = isImported
          ? await importObject(at, id, { outputs: stored, inputs: details.former })
          : await readObject(at, id, stored);
        return found === undefined
          ? {}
          : {
              id,
              props: found.outputs,
              ...(found.inputs === undefined ? {} : { inputs: found.inputs }),
            };
      }, details.timeout),

    import: (id) =>
      hook(async () => {
        const found = await importObject(context({}), id);
        return found && { id, props: found.outputs, inputs: found.inputs };
      }),

    update: (id, stored: JsonObject, news: JsonObject, details = {}) =>
      hook(async () => {
        const olds = understood(stored, details, news);
        definitionFor(olds);
        return { outs: await updateObject(context(news, details), id, olds, news, details.isComplete) };
      }, details.timeout),

    delete: (id, stored: JsonObject, details = {}) =>
      hook(async () => {
        const properties = understood(stored, details);
        await deleteObject(context(properties, { ...details, ...urnOf(id) }), id, properties);
      }, details.timeout),
  };
}

function limitedSignal(timeout: number | undefined, call: AbortSignal | undefined): AbortSignal {
  const cancelled = cancellationSignal();
  const others = [
    ...(call === undefined ? [] : [call]),
    ...(timeout === undefined ? [] : [AbortSignal.timeout(timerMilliseconds(timeout))]),
  ];
  if (others.length === 0) {
    return cancelled;
  }
  const limited = AbortSignal.any([cancelled, ...others]);
  // Each request in flight adds a listener, which is not a leak.
  setMaxListeners(0, limited);
  return limited;
}

/** @throws ConfigurationError unless the program asks for a replacement when the service changes */
function leadsElsewhere(settings: ResolvedSettings, outputs: JsonObject, run = noRunOptions): boolean {
  const at = outputs[hiddenKeys.at];
  if (typeof at !== "string" || isSameService(settings, at)) {
    return false;
  }
  if (!run.followsProvider) {
    assertSameService(settings, at);
  }
  return true;
}

const endsWithLogin =
  "It will end with the token of the login at the latest. Give that login tokens that live long enough.";

const shownWarnings = new Set<string>();

/** Makes no request. Each warning is shown once per process. */
function connectionFailures(sources: Sources, service: ServiceName): CheckFailure[] {
  const { failure, warning } = foresee(sources, service);
  if (warning !== undefined && !shownWarnings.has(warning)) {
    shownWarnings.add(warning);
    logToEngine("warning", undefined, warning);
  }
  return failure === undefined ? [] : [{ property: "", reason: failure }];
}

/** The engine prints the value of a failure's property in clear text, even a secret, and `{<nil>}` if it is missing. */
function presentable(
  failure: CheckFailure,
  confidential: ReadonlySet<string>,
  inputs: JsonObject,
): CheckFailure {
  const { property, reason } = failure;
  const [argument = ""] = property.split(/[.[]/, 1);
  const isShown = !confidential.has(argument) && (inputs[property] ?? null) !== null;
  return isShown
    ? { property, reason: showable(reason) }
    : { property: "", reason: showable(`${property} ${reason}`) };
}

/** `load` gets a module path, such as `secrets/mfa/totp-method`. Each lifecycle is created once, on first use. */
export function lifecycles<Adapted>(
  load: (module: string) => object,
  adapt: (lifecycle: Lifecycle) => Adapted,
): (type: string) => Adapted {
  const known = new Map<string, Adapted>();
  return (type) => {
    const found = known.get(type);
    if (found !== undefined) {
      return found;
    }
    const definition = classOf(type, load)?.definition;
    if (definition === undefined) {
      silenceEmptyReports();
      throw new LifecycleError(
        `The installed pulumi-trivium has no resource type ${type}: the state was written by a newer ` +
          "version. Upgrade pulumi-trivium in this project.",
      );
    }
    const adapted = adapt(createLifecycle(definition));
    known.set(type, adapted);
    return adapted;
  };
}
