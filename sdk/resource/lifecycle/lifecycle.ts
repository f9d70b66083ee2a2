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
import { type AnyResourceDefinition, inDialect, classOf } from "../definition";
import { compare, foreseenOutputs } from "./comparison";
import {
  asManaged,
  deleteObject,
  type FoundResource,
  importObject,
  type ObjectContext,
  readObject,
} from "./object";
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

/** For both adapters. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

export type LifecycleDiff = Awaited<ReturnType<Lifecycle["diff"]>>;

/** Hooks receive clear text, and placeholders for unknown values. Their results and errors are made safe here. */
export function createLifecycle(plainDefinition: AnyResourceDefinition) {
  let sources: Sources = providerSources(undefined);
  silenceEmptyReports();
  followEngine();

  const { service: remote, type } = plainDefinition;
  const service = remote.name;
  const byDialect = {
    documented: inDialect(plainDefinition, "documented"),
    hashicorp: inDialect(plainDefinition, "hashicorp"),
  };
  const currentView = (): AnyResourceDefinition => byDialect[dialectOf(sources, service)];
  /** By URN: only check receives them, and other hooks need them. */
  const runs = new Map<string, RunOptions>();
  /** By id: the outputs that read and delete receive may have a former URN. */
  const urns = new Map<string, string>();
  /** The ids in state, by URN. */
  const ids = new Map<string, string>();
  const notes = sharedNotes();
  const ownershipAt = (settings: ResolvedSettings): Ownership =>
    new Ownership(byDialect[settings.dialect], settings.dialect, serviceOf(settings), notes);
  const context = (
    values: JsonObject,
    { timeout, signal, ignored }: CallDetails = {},
    urn = urnIn(values, type),
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
  const withManaged = (stored: JsonObject, { former }: CallDetails, news = former): JsonObject =>
    former === undefined ? stored : asManaged(currentView(), stored, former, news);
  const hook = <Result>(work: () => Promise<Result>, timeout?: number): Promise<Result> =>
    reportable(type, work, timeout);

  return {
    // The engine calls other hooks before this one has returned, so it only stores the sources.
    configure(request: dynamic.ConfigureRequest): Promise<void> {
      sources = providerSources(request.config);
      return Promise.resolve();
    },

    /** The inputs of an imported object lack what the service never returns. */
    check: (olds: JsonObject, news: JsonObject, { isImported } = { isImported: false }) =>
      hook(() => {
        const definition = definitionFor(news);
        const dialect = dialectOf(sources, service);
        const { inputs: requested, run } = takeRunOptions(news);
        const urn = urnIn(news, type);
        if (urn !== undefined) {
          runs.set(urn, run);
        }
        const isNew = Object.keys(olds).length === 0;
        // A second check, without former inputs, begins a replacement.
        const formerId = isNew ? ids.get(urn ?? "") : undefined;
        const inputs = clearRemoved(definition, dialect, definition.schema(z, dialect), olds, requested);
        const { failures: all, warnings } = checkArguments(definition, z, dialect, inputs);
        const isNeverReturned = ({ property }: CheckFailure): boolean =>
          definition.arguments[property]?.writeOnly === true && inputs[property] === undefined;
        const failures = isImported ? all.filter((failure) => !isNeverReturned(failure)) : all;
        const { settings, failure: unusable, warning: incomplete } = foresee(sources, service);
        const ownership = settings && ownershipAt(settings);
        const taken = failures.length > 0 ? undefined : ownership?.claim(inputs);
        if (urn !== undefined && formerId !== undefined) {
          ownership?.leave(formerId, urn);
        }
        for (const warning of warnings) {
          logToEngine("warning", urn, warning);
        }
        warnOnce(incomplete);
        if (isNew && plainDefinition.expiredReason !== undefined && settings?.login !== undefined) {
          logToEngine("information", urn, endsWithLogin);
        }
        const confidential = new Set(secretNames(definition));
        const general = [taken, unusable].filter((reason) => reason !== undefined);
        return Promise.resolve({
          inputs: wrapSecrets(definition, inputs),
          failures: [
            ...failures.map((failure) => presentable(failure, confidential, inputs)),
            ...general.map((reason) => ({ property: "", reason })),
          ],
        });
      }),

    diff: (id: string, stored: JsonObject, news: JsonObject, details: CallDetails = {}) =>
      hook(() => {
        const definition = currentView();
        const olds = withManaged(stored, details, news);
        const urn = urnIn(news, type);
        if (urn !== undefined) {
          urns.set(id, urn);
          ids.set(urn, id);
        }
        const run = runs.get(urn ?? "");
        const { settings } = foresee(sources, service);
        const moves = settings !== undefined && serviceChanged(settings, olds, run);
        // A refresh also calls diff for a resource that was removed from the program, which was not checked.
        if (settings !== undefined && run !== undefined && !moves) {
          ownershipAt(settings).hold(id, olds, urn);
        }
        const { changed, replaces, managedDiffers } = compare(definition, olds, news);
        const ended = plainDefinition.expiredReason?.(olds, news, knownTime(sources, service));
        if (ended !== undefined) {
          logToEngine("information", urn, ended);
        }
        const causes = [
          ...replaces,
          ...(ended === undefined ? [] : [endOfLife]),
          ...(moves ? [anotherProvider] : []),
        ];
        return Promise.resolve({
          /** The arguments whose desired values are not yet in the service, or in state. */
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

    create: (inputs: JsonObject, details: CallDetails = {}) =>
      hook(() => createObject(context(inputs, details), inputs), details.timeout),

    /** Makes no request. Without `stored`, the object is to be created. */
    preview: (inputs: JsonObject, stored?: JsonObject, details: CallDetails = {}) =>
      hook(() => {
        const definition = definitionFor(inputs);
        const dialect = dialectOf(sources, service);
        const schema = definition.schema(z, dialect);
        const foreseen = foreseenOutputs(definition, {
          dialect,
          inputs,
          former: stored && withManaged(stored, details, inputs),
          sent: (name, value) => sentValue(schema, z, name, value),
        });
        // What was removed from the program may have been secret.
        const formerly = definitionFor(stored ?? {});
        return Promise.resolve(wrapSecrets(definition, wrapSecrets(formerly, foreseen)));
      }),

    read: (id: string, stored: JsonObject = {}, details: CallDetails = {}) =>
      hook(async (): Promise<Partial<FoundResource>> => {
        const at = context(stored, details, urns.get(id));
        const isImported = details.former !== undefined && managedOf(plainDefinition, stored) === undefined;
        const found = isImported
          ? await importObject(at, id, { outputs: stored, inputs: details.former })
          : await readObject(at, id, stored);
        return found ?? {};
      }, details.timeout),

    import: (id: string) => hook(() => importObject(context({}), id)),

    update: (id: string, stored: JsonObject, news: JsonObject, details: CallDetails = {}) =>
      hook(async () => {
        const olds = withManaged(stored, details, news);
        definitionFor(olds);
        return { outs: await updateObject(context(news, details), id, olds, news, details.isComplete) };
      }, details.timeout),

    delete: (id: string, stored: JsonObject, details: CallDetails = {}) =>
      hook(async () => {
        const properties = withManaged(stored, details);
        await deleteObject(context(properties, details, urns.get(id)), id, properties);
      }, details.timeout),
  };
}

function limitedSignal(timeout: number | undefined, call: AbortSignal | undefined): AbortSignal {
  const cancelled = cancellationSignal();
  if (timeout === undefined && call === undefined) {
    return cancelled;
  }
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timerMilliseconds(timeout));
  const limited = AbortSignal.any([cancelled, call, limit].filter((signal) => signal !== undefined));
  // Each request in flight adds a listener, which is not a leak.
  setMaxListeners(0, limited);
  return limited;
}

/** @throws ConfigurationError unless the program asks for a replacement when the service changes */
function serviceChanged(settings: ResolvedSettings, outputs: JsonObject, run = noRunOptions): boolean {
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

function warnOnce(warning: string | undefined): void {
  if (warning !== undefined && !shownWarnings.has(warning)) {
    shownWarnings.add(warning);
    logToEngine("warning", undefined, warning);
  }
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
    const adapted = known.get(type) ?? adapt(createLifecycle(definitionOf(type, load)));
    known.set(type, adapted);
    return adapted;
  };
}

function definitionOf(type: string, load: (module: string) => object): AnyResourceDefinition {
  const found = classOf(type, load);
  if (found === undefined) {
    silenceEmptyReports();
    throw new LifecycleError(
      `The installed pulumi-trivium has no resource type ${type}: the state was written by a newer ` +
        "version. Upgrade pulumi-trivium in this project.",
    );
  }
  return found.definition;
}
