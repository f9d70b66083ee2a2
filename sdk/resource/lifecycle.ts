import type { dynamic } from "@pulumi/pulumi";
import { z } from "zod";
import { connect, knownTime } from "../connection/connect";
import { assertMadeHere, placeOf, wasMadeHere } from "../connection/identity";
import { dialectOf, foresee, type ResolvedSettings, settingsForPlans } from "../connection/resolve";
import { providerSources, type Sources } from "../connection/sources";
import { showable } from "../base/shown-text";
import { cancellationSignal } from "../engine/cancellation";
import { silenceEmptyReports } from "../engine/reports";
import { logToEngine } from "../engine/progress";
import { sharedNotes } from "../engine/shared-notes";
import { checkArguments, clearRemoved, schemaOf, type CheckFailure } from "./check";
import type { ServiceName } from "../base/settings";
import type { AnyResourceDefinition } from "./definition";
import { compare } from "./comparison";
import { asManaged, importObject } from "./importing";
import { foreseenOutputs } from "./preview";
import { inDialect } from "./in-dialect";
import { reportable } from "./failure";
import type { JsonObject } from "../base/json";
import { hiddenKeys } from "./hidden";
import { secretNames, withMarkedSecrets, wrapSecrets } from "./outputs";
import { managedOf } from "./managed";
import { createObject } from "./creation";
import { deleteObject } from "./deletion";
import type { ObjectContext } from "./object";
import { readObject } from "./reading";
import { updateObject } from "./update";
import { Ownership } from "./ownership";
import { rememberSecrets } from "./remember-secrets";
import { noRunOptions, type RunOptions, takeRunOptions } from "./run-options";
import { urnIn } from "./urn";

/** The output that names the end of what lives for a time. */
const endOfLife = "expiresAt";
/** What the engine itself names when it replaces a resource because of its provider. */
const anotherProvider = "provider";

/** What the engine says of a call beside the resource itself. */
export interface CallDetails {
  /** How many seconds it may take. Default: as long as it takes. */
  readonly timeout?: number;
  /** The arguments in the resource's `ignoreChanges`. Default: those that the program has told check. */
  readonly ignored?: readonly string[];
  /**
   * The inputs in state. State of an object that the plugin has imported is understood only beside them. Default: state
   * is what a dynamic provider has written.
   */
  readonly former?: JsonObject;
  /** An update without any change is asked for to write the state anew. Default: to continue what was not completed. */
  readonly isComplete?: boolean;
}

/** What a plan shows of a resource. */
export interface LifecycleDiff extends dynamic.DiffResult {
  readonly replaces: string[];
  readonly deleteBeforeReplace: boolean;
  /** The arguments whose values are not in the service, or in state, yet. */
  readonly changed: ReadonlySet<string>;
}

/** An object in the service as state is to hold it. */
export interface FoundResource {
  readonly id: string;
  readonly props: JsonObject;
  readonly inputs?: JsonObject;
}

/** What can be done with one type of resource, whichever way the engine asks for it. */
export interface Lifecycle extends dynamic.ResourceProvider {
  diff(id: string, olds: JsonObject, news: JsonObject, details?: CallDetails): Promise<LifecycleDiff>;
  check(olds: JsonObject, news: JsonObject): Promise<{ inputs: JsonObject; failures: CheckFailure[] }>;
  create(inputs: JsonObject, details?: CallDetails): Promise<{ id: string; outs: JsonObject }>;
  /** What can be known of the outputs before the object is created or updated; makes no request. */
  preview(inputs: JsonObject): Promise<JsonObject>;
  read(id: string, properties?: JsonObject, details?: CallDetails): Promise<Partial<FoundResource>>;
  /** Reads an object of which nothing but the id is known. */
  import(id: string): Promise<FoundResource | undefined>;
  update(
    id: string,
    olds: JsonObject,
    news: JsonObject,
    details?: CallDetails,
  ): Promise<{ outs: JsonObject }>;
  delete(id: string, properties: JsonObject, details?: CallDetails): Promise<void>;
}

/**
 * Turns a resource's definition into what the engine's provider process calls. The hooks get values in clear and
 * in previews sentinels for what is not known; what they return and throw is made safe here, once for all.
 */
export function createLifecycle(plainDefinition: AnyResourceDefinition): Lifecycle {
  let sources: Sources = providerSources(undefined);
  silenceEmptyReports();

  const { service: remote } = plainDefinition;
  const service = remote.name;
  /** What the program says of the resources of this run, by URN: check is told, others need it. */
  const runs = new Map<string, RunOptions>();
  /** The URNs that the program gives, by id: read and delete are told outputs, which may hold a former one. */
  const urns = new Map<string, string>();
  const urnOf = (id: string): { urn?: string } => {
    const urn = urns.get(id);
    return urn === undefined ? {} : { urn };
  };
  const notes = sharedNotes();
  const ownershipAt = (settings: ResolvedSettings): Ownership =>
    new Ownership(inDialect(plainDefinition, settings.dialect), settings.dialect, placeOf(settings), notes);
  const context = (
    values: JsonObject,
    { urn = urnIn(values, plainDefinition.type), timeout, ignored }: CallDetails & { urn?: string } = {},
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
      signal: limitedSignal(timeout),
      configured: (key) => sources.configuration?.get(key),
    };
  };
  /** From here on the secrets among the values are known, and kept out of every message. */
  const definitionFor = (values: JsonObject): AnyResourceDefinition => {
    const definition = withMarkedSecrets(inDialect(plainDefinition, dialectOf(sources, service)), values);
    rememberSecrets(definition, values);
    return definition;
  };
  const understood = (stored: JsonObject, { former }: CallDetails, news = former): JsonObject =>
    former === undefined
      ? stored
      : asManaged(inDialect(plainDefinition, dialectOf(sources, service)), stored, former, news);
  const hook = <Result>(work: () => Promise<Result>, timeout?: number): Promise<Result> =>
    reportable(plainDefinition, work, timeout);

  return {
    // Calls run before this one has returned, so it only remembers where to look.
    configure(request) {
      sources = providerSources(request.config);
      return Promise.resolve();
    },

    check: (olds: JsonObject, news: JsonObject) =>
      hook(() => {
        const definition = definitionFor(news);
        const dialect = dialectOf(sources, service);
        const { inputs: given, run } = takeRunOptions(news);
        const urn = urnIn(news, plainDefinition.type);
        if (urn !== undefined) {
          runs.set(urn, run);
        }
        const inputs = clearRemoved(definition, schemaOf(definition, z, dialect), olds, given);
        const { failures, warnings } = checkArguments(definition, z, dialect, inputs);
        const settings = settingsForPlans(sources, service);
        const taken =
          failures.length > 0 || settings === undefined ? undefined : ownershipAt(settings).claim(inputs, z);
        for (const warning of warnings) {
          logToEngine("warning", urn, warning);
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
        const definition = inDialect(plainDefinition, dialectOf(sources, service));
        const olds = understood(stored, details, news);
        const urn = urnIn(news, plainDefinition.type);
        if (urn !== undefined) {
          urns.set(id, urn);
        }
        const run = runs.get(urn ?? "");
        const settings = settingsForPlans(sources, service);
        const moves = settings !== undefined && leadsElsewhere(settings, olds, run);
        // A refresh asks too, also about resources that the program no longer has: those are not checked before.
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
          // Left open, the engine compares the inputs itself, shows which changed and honours replaceOnChanges.
          changes:
            managedDiffers || ended !== undefined || moves ? true : changed.size > 0 ? undefined : false,
          replaces: causes,
          deleteBeforeReplace:
            plainDefinition.deleteBeforeReplace === true ||
            // Replaced for no reason of ours, it would collide with itself.
            (causes.length === 0 && plainDefinition.find !== undefined),
        });
      }),

    create: (inputs: JsonObject, details = {}) =>
      hook(async () => {
        const { id, outputs } = await createObject(context(inputs, details), inputs);
        return { id, outs: outputs };
      }, details.timeout),

    preview: (inputs) =>
      hook(() => {
        const definition = definitionFor(inputs);
        return Promise.resolve(foreseenOutputs(definition, z, dialectOf(sources, service), inputs));
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

/** The signal of cancellation, which is aborted too when an operation may take no longer. */
function limitedSignal(timeout: number | undefined): AbortSignal {
  const cancelled = cancellationSignal();
  return timeout === undefined
    ? cancelled
    : AbortSignal.any([cancelled, AbortSignal.timeout(Math.ceil(timeout * 1000))]);
}

/**
 * Whether an object that was made elsewhere is to be replaced by one at this service.
 *
 * @throws ConfigurationError when the program does not ask for that
 */
function leadsElsewhere(settings: ResolvedSettings, outputs: JsonObject, run = noRunOptions): boolean {
  const at = outputs[hiddenKeys.at];
  if (typeof at !== "string" || wasMadeHere(settings, at)) {
    return false;
  }
  if (!run.followsProvider) {
    assertMadeHere(settings, at);
  }
  return true;
}

const shownWarnings = new Set<string>();

/** What is wrong with the connection and takes no request to find out; each warning is shown once for a process. */
function connectionFailures(sources: Sources, service: ServiceName): CheckFailure[] {
  const { failure, warning } = foresee(sources, service);
  if (warning !== undefined && !shownWarnings.has(warning)) {
    shownWarnings.add(warning);
    logToEngine("warning", undefined, warning);
  }
  return failure === undefined ? [] : [{ property: "", reason: failure }];
}

/**
 * The engine prints the value of the property that a failure names, in clear even when it is secret, and `{<nil>}` for
 * what is not there or is a part of a value. Such a failure names its argument in its text only.
 */
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
