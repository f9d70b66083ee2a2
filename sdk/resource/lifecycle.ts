import type { dynamic } from "@pulumi/pulumi";
import { z } from "zod";
import { connect, knownTime } from "../connection/connect";
import { assertMadeHere, placeOf, wasMadeHere } from "../connection/identity";
import { dialectOf, foresee, type ResolvedSettings, settingsForPlans } from "../connection/resolve";
import { providerSources, type Sources } from "../connection/sources";
import { showable } from "../base/shown-text";
import { silenceEmptyReports } from "../engine/reports";
import { logToEngine } from "../engine/progress";
import { sharedNotes } from "../engine/shared-notes";
import { checkArguments, clearRemoved, schemaOf, type CheckFailure } from "./check";
import type { ServiceName } from "../base/settings";
import type { AnyResourceDefinition } from "./definition";
import { compare } from "./comparison";
import { inDialect } from "./in-dialect";
import { reportable } from "./failure";
import type { JsonObject, JsonValue } from "../base/json";
import { hiddenKeys } from "./hidden";
import { secretNames, withMarkedSecrets, wrapSecrets } from "./outputs";
import { createObject } from "./creation";
import { deleteObject } from "./deletion";
import type { ObjectContext } from "./object";
import { readObject } from "./reading";
import { updateObject } from "./update";
import { Ownership } from "./ownership";
import { rememberSecrets } from "./remember-secrets";
import { noRunOptions, type RunOptions, takeRunOptions } from "./run-options";

/** The output that names the end of what lives for a time. */
const endOfLife = "expiresAt";
/** What the engine itself names when it replaces a resource because of its provider. */
const anotherProvider = "provider";

/**
 * Turns a resource's definition into what the engine's provider process calls. The hooks get values in clear and
 * in previews sentinels for what is not known; what they return and throw is made safe here, once for all.
 */
export function createLifecycle(plainDefinition: AnyResourceDefinition): dynamic.ResourceProvider {
  let sources: Sources = providerSources(undefined);
  silenceEmptyReports();

  const { service: remote } = plainDefinition;
  const service = remote.name;
  /** What the program says of the resources of this run, by URN: check is told, others need it. */
  const runs = new Map<string, RunOptions>();
  /** The URNs that the program gives, by id: read and delete are told outputs, which may hold a former one. */
  const urns = new Map<string, string>();
  const notes = sharedNotes();
  const ownershipAt = (settings: ResolvedSettings): Ownership =>
    new Ownership(inDialect(plainDefinition, settings.dialect), settings.dialect, placeOf(settings), notes);
  const context = (values: JsonObject, urn = textOf(values[hiddenKeys.urn])): ObjectContext => {
    const connection = connect(sources, remote);
    return {
      definition: definitionFor(values),
      connection,
      dialect: dialectOf(sources, service),
      urn,
      ownership: ownershipAt(connection.settings),
      run: runs.get(urn ?? "") ?? noRunOptions,
      configured: (key) => sources.configuration?.get(key),
    };
  };
  /** From here on the secrets among the values are known, and kept out of every message. */
  const definitionFor = (values: JsonObject): AnyResourceDefinition => {
    const definition = withMarkedSecrets(inDialect(plainDefinition, dialectOf(sources, service)), values);
    rememberSecrets(definition, values);
    return definition;
  };
  const hook = <Result>(work: () => Promise<Result>): Promise<Result> => reportable(plainDefinition, work);

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
        const urn = textOf(news[hiddenKeys.urn]);
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

    diff: (id, olds: JsonObject, news: JsonObject) =>
      hook(() => {
        const definition = inDialect(plainDefinition, dialectOf(sources, service));
        const urn = textOf(news[hiddenKeys.urn]);
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

    create: (inputs: JsonObject) =>
      hook(async () => {
        const { id, outputs } = await createObject(context(inputs), inputs);
        return { id, outs: outputs };
      }),

    read: (id, properties: JsonObject = {}) =>
      hook(async () => {
        const found = await readObject(context(properties, urns.get(id)), id, properties);
        return found === undefined ? {} : { id, props: found.outputs, inputs: found.inputs };
      }),

    update: (id, olds: JsonObject, news: JsonObject) =>
      hook(async () => {
        definitionFor(olds);
        return { outs: await updateObject(context(news), id, olds, news) };
      }),

    delete: (id, properties: JsonObject) =>
      hook(async () => {
        await deleteObject(context(properties, urns.get(id)), id, properties);
      }),
  };
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

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
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
