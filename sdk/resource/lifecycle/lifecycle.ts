import { setMaxListeners } from "node:events";
import type { dynamic } from "@pulumi/pulumi";
import { z } from "zod";
import { connect, knownTime, assertSameService, isSameService, serviceOf } from "../../connection/connect";
import { dialectOf, foresee, type ResolvedSettings } from "../../connection/resolve";
import { providerSources, type Sources } from "../../connection/sources";
import { timerMilliseconds } from "../../base/timing";
import { showable } from "../../base/shown-text";
import { cancellationSignal, followEngine } from "../../engine/cancellation";
import { reportable, LifecycleError, silenceEmptyReports } from "../../engine/reports";
import { logToEngine } from "../../engine/progress";
import { sharedNotes } from "../../engine/shared-notes";
import { checkArguments, type CheckFailure, clearRemoved, sentValue, sentValues } from "./check";
import {
  type AnyResourceDefinition,
  deletedFirst,
  type DefinitionIn,
  definitionIn,
  type KnownOfProgram,
  refusedReplacement,
  type ResourceClass,
} from "../definition";
import { decideEnding } from "./ending";
import { compare, foreseenOutputs, staysAbsent } from "./comparison";
import {
  assertDeletable,
  assertReplaceable,
  type Context,
  deleteObject,
  type Found,
  importObject,
  readObject,
} from "./object";
import { type JsonObject, type JsonValue, namesWhere } from "../../base/json";
import type { Dialect, ServiceName } from "../../base/settings";
import {
  containsUnknown,
  emptyEntry,
  type Entry,
  managedLike,
  noRunOptions,
  type Program,
  rememberSecrets,
  type RunOptions,
  withMarkedSecrets,
} from "../state/entry";
import { Memory } from "./memory";
import { writeObject } from "./writing";
import { Ownership } from "./ownership";

/** The reason in a plan for the replacement of an expired lease. */
const endOfLife = "expiresAt";
/** The engine's own reason for a replacement because of another provider. */
const anotherProvider = "provider";

/** What limits a call. */
export interface Limits {
  /** The time limit in seconds. Default: none. */
  readonly timeout?: number;
  /** Aborted when the engine no longer waits for the result. */
  readonly signal?: AbortSignal;
}

export type LifecycleDiff = Awaited<ReturnType<Lifecycle["diff"]>>;

/**
 * The lifecycle of a class, for both adapters: they decode what the engine sends and encode the results. All errors are
 * made safe to show here.
 */
export class Lifecycle {
  private sources: Sources = providerSources(undefined);
  private readonly service: ServiceName;
  private readonly byDialect: Readonly<Record<Dialect, DefinitionIn>>;
  private readonly memory = new Memory();
  private readonly notes = sharedNotes();

  constructor(readonly definition: AnyResourceDefinition) {
    this.service = definition.service.name;
    this.byDialect = {
      documented: definitionIn(definition, "documented"),
      hashicorp: definitionIn(definition, "hashicorp"),
    };
    silenceEmptyReports();
    followEngine();
  }

  // The engine calls other hooks before this one has returned, so it only stores the sources.
  configure(request: dynamic.ConfigureRequest): Promise<void> {
    this.sources = providerSources(request.config);
    return Promise.resolve();
  }

  /**
   * @param former the arguments in state; `undefined` for a new resource
   * @param isImported whether the arguments lack values that the service never returns
   */
  check({ args: given, urn, secrets, run }: Program, former?: JsonObject, isImported = false) {
    return this.call(() => {
      const { memory } = this;
      const definition = this.definitionFor(given, secrets);
      memory.note(urn, { run, secrets, ...(former && { stored: former }) });
      // A second check, without former arguments, begins a replacement.
      const formerId = former === undefined ? memory.of(urn).id : undefined;
      const args = clearRemoved(definition, definition.schema(z), former ?? {}, given);
      const { settings, failure: unusable, warning: incomplete } = foresee(this.sources, this.service);
      const known = settings && this.knownAt(settings);
      const { failures: all, warnings } = checkArguments(definition, z, args, former, known);
      const failures = all.filter(({ property }) => {
        const isNeverReturned = definition.arguments[property]?.told === "never";
        return !(isImported && isNeverReturned && args[property] === undefined);
      });
      const ownership = settings && this.ownershipAt(settings);
      const taken = failures.length > 0 ? undefined : ownership?.claim({ urn, args });
      if (urn !== undefined && formerId !== undefined) {
        ownership?.leave(formerId, urn);
      }
      const refused = former === undefined ? this.refusedReplacement(definition, urn, args, run) : undefined;
      // Without valid arguments, nothing replaces the object.
      memory.note(urn, { args: failures.length > 0 ? undefined : args });
      for (const warning of warnings) {
        logToEngine("warning", urn, warning);
      }
      warnOnce(incomplete);
      if (former === undefined && definition.ending !== undefined && settings?.login !== undefined) {
        logToEngine("information", urn, endsWithLogin);
      }
      const general = [taken, unusable, refused].filter((reason) => reason !== undefined);
      return Promise.resolve({
        args,
        failures: [
          ...failures.map((failure) => presentable(failure, definition, args)),
          ...general.map((reason) => ({ property: "", reason: showable(reason) })),
        ],
      });
    });
  }

  diff(id: string, stored: Entry, { args, urn }: Program, former?: JsonObject) {
    return this.call(async () => {
      const { memory, definitionNow: definition } = this;
      const entry = this.withManaged(stored, former, args);
      if (urn !== undefined) {
        memory.noteId(id, { urn });
      }
      memory.note(urn, { id, former: entry });
      const { run } = memory.of(urn);
      const { settings } = foresee(this.sources, this.service);
      const moves = settings !== undefined && serviceChanged(settings, entry, run);
      // A refresh also calls diff for a resource that was removed from the program, which was not checked.
      if (settings !== undefined && run !== undefined && !moves) {
        this.ownershipAt(settings).hold(id, entry, urn);
      }
      const { changed, replaces, managedDiffers } = compare(definition, entry, args);
      const now = (): number => knownTime(this.sources, this.service);
      const asking = (): Context => this.contextOf(id, entry, {});
      const end = await decideEnding(definition, asking, { id, entry, args, urn, run, now });
      if (end.entry !== undefined) {
        memory.noteId(id, { renewed: end.entry });
      }
      // Without an earlier check, an unknown argument means that the engine asks whether this resource must be replaced
      // together with the one that the argument names.
      const along = namesWhere(
        run === undefined ? definition.arguments : {},
        (argument, name) => argument.replaces === "along" && containsUnknown(args[name]),
      );
      const causes = [
        ...replaces,
        ...along,
        ...(end.isReplaced ? [endOfLife] : []),
        ...(moves ? [anotherProvider] : []),
      ];
      if (causes.length > 0 && settings !== undefined) {
        assertDeletable(definition, entry, settings.dialect);
      }
      const isFirst = deletedFirst(definition, () => entry.outputs);
      if (causes.length > 0 && typeof isFirst === "string") {
        logToEngine("warning", urn, isFirst);
      }
      return {
        /** The arguments whose desired values are not yet in the service, or in state. */
        changed,
        // If this is omitted, the engine itself compares the inputs, shows which changed and applies replaceOnChanges.
        changes:
          managedDiffers || end.isReplaced || end.entry !== undefined || moves
            ? true
            : changed.size > 0
              ? undefined
              : false,
        replaces: causes,
        // Set even if the definition does not require it: in a replacement that only the user requested, the new half
        // would find the object of the old one.
        deleteBeforeReplace: Boolean(isFirst ?? (causes.length === 0 && definition.look !== undefined)),
      };
    });
  }

  create(program: Program, limits: Limits = {}) {
    return this.call(() => {
      const { args, urn, secrets } = this.withMarked(program);
      const entry = { ...emptyEntry, urn, secrets };
      const { stored: replaced } = this.memory.of(urn);
      return writeObject(this.context(args, entry, limits), { id: undefined, entry, args, replaced });
    }, limits.timeout);
  }

  /** Does not send requests. Without `stored`, the object will be created. */
  preview({ args, secrets }: Program, stored?: Entry, former?: JsonObject) {
    return this.call(() => {
      const definition = this.definitionFor(args, secrets);
      const schema = definition.schema(z);
      const entry = stored && this.withManaged(stored, former, args);
      const sent = (name: string, value: JsonValue) => sentValue(schema, z, name, value);
      const foreseen = Object.entries(foreseenOutputs(definition, { args, entry, sent }));
      const isMarked = ([name, value]: [string, JsonValue]): boolean =>
        value === null && definition.arguments[name]?.secret === true && staysAbsent({ args, entry }, name);
      return Promise.resolve(Object.fromEntries(foreseen.filter((output) => !isMarked(output))));
    });
  }

  /** @param former the arguments in state, which distinguish an imported object from one that was only read */
  read(id: string, entry: Entry, limits: Limits = {}, former: JsonObject = {}) {
    return this.call(async (): Promise<Found | undefined> => {
      const at = this.contextOf(id, entry, limits);
      const isImported = entry.managed === undefined && Object.keys(former).length > 0;
      const found = await (isImported ? importObject(at, id, entry, former) : readObject(at, id, entry));
      return found ?? (isImported || entry.managed !== undefined ? undefined : this.missing(id));
    }, limits.timeout);
  }

  /** Without state: for an import, or for a program that only reads the object. */
  import(id: string) {
    return this.call(
      async () => (await importObject(this.context({}, emptyEntry, {}), id)) ?? this.missing(id),
    );
  }

  update(
    id: string,
    stored: Entry,
    program: Program,
    { limits = {}, former, ignored, isComplete }: UpdateDetails = {},
  ) {
    return this.call(async () => {
      const { args, urn, secrets } = this.withMarked(program);
      this.definitionFor(stored.outputs, stored.secrets);
      const { renewed } = this.memory.ofId(id);
      const { outputs, privateState } = renewed ?? stored;
      const present = { ...stored, outputs, privateState };
      const own = { ...this.withManaged(present, former, args), urn: urn ?? stored.urn, secrets };
      const request = { id, entry: own, args, isComplete: isComplete ?? renewed !== undefined };
      return writeObject(this.context(args, own, limits, ignored), request);
    }, limits.timeout);
  }

  delete(id: string, entry: Entry, limits: Limits = {}, former?: JsonObject) {
    return this.call(async () => {
      const at = this.contextOf(id, entry, limits);
      const { args } = this.memory.of(at.urn);
      if (args !== undefined) {
        const desired = sentValues(at.definition.schema(z), z, args);
        await assertReplaceable(at, id, entry, { args, desired });
      }
      await deleteObject(at, id, this.withManaged(entry, former));
    }, limits.timeout);
  }

  private call<Result>(work: () => Promise<Result>, timeout?: number): Promise<Result> {
    return reportable(this.definition.type, work, timeout);
  }

  private get definitionNow(): DefinitionIn {
    return this.byDialect[dialectOf(this.sources, this.service)];
  }

  /** Also registers the secrets among the values for redaction. */
  private definitionFor(values: JsonObject, secrets: readonly string[]): DefinitionIn {
    const definition = withMarkedSecrets(this.definitionNow, secrets);
    rememberSecrets(definition, values);
    return definition;
  }

  private ownershipAt(settings: ResolvedSettings): Ownership {
    return new Ownership(this.byDialect[settings.dialect], serviceOf(settings), this.notes);
  }

  private knownAt(settings: ResolvedSettings): KnownOfProgram {
    const at = (about: string): string => `${serviceOf(settings)} ${about}`;
    return {
      tell: (about, fact) => this.notes.add("fact", at(about), fact),
      told: (about) => [...this.notes.find("fact", at(about))],
    };
  }

  private context(
    values: JsonObject,
    { urn, secrets }: Pick<Entry, "urn" | "secrets">,
    { timeout, signal }: Limits,
    ignored?: readonly string[],
  ): Context {
    const connection = connect(this.sources, this.definition.service);
    const { run = noRunOptions } = this.memory.of(urn);
    return {
      definition: this.definitionFor(values, secrets),
      connection,
      urn,
      ownership: this.ownershipAt(connection.settings),
      run: ignored === undefined ? run : { ...run, ignored },
      signal: limitedSignal(timeout, signal),
    };
  }

  /** For entries of resources that are no longer in the program. */
  private contextOf(id: string, entry: Entry, limits: Limits): Context {
    return this.context(entry.outputs, { ...entry, urn: this.memory.ofId(id).urn ?? entry.urn }, limits);
  }

  private withMarked({ urn, secrets, ...program }: Program): Program {
    return { ...program, urn, secrets: this.memory.of(urn).secrets ?? secrets };
  }

  private withManaged(entry: Entry, former?: JsonObject, args?: JsonObject): Entry {
    return former === undefined ? entry : managedLike(this.definitionNow, entry, former, args);
  }

  /** Why the program must not replace its resource, according to state. */
  private refusedReplacement(
    definition: AnyResourceDefinition,
    urn: string | undefined,
    args: JsonObject,
    { inherited }: RunOptions,
  ): string | undefined {
    const { former } = this.memory.of(urn);
    const told = inherited.find(({ obsolete }) => obsolete !== undefined)?.obsolete;
    return told ?? (former && refusedReplacement(definition, former, args));
  }

  /** From an empty result the engine would make a resource without outputs. */
  private missing(id: string): never {
    throw new LifecycleError(
      `${this.definition.type} ${id} does not exist. Check the ID; if the object was deleted, remove the resource from the program.`,
    );
  }
}

interface UpdateDetails {
  readonly limits?: Limits;
  /** The arguments in state, from which the managed arguments of an imported object follow. */
  readonly former?: JsonObject;
  /** The arguments from `ignoreChanges`. Default: those from check. */
  readonly ignored?: readonly string[];
  /** An update without changes rewrites state. Default: it continues an incomplete operation. */
  readonly isComplete?: boolean;
}

function limitedSignal(timeout: number | undefined, call: AbortSignal | undefined): AbortSignal {
  const cancelled = cancellationSignal();
  if (timeout === undefined && call === undefined) {
    return cancelled;
  }
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timerMilliseconds(timeout));
  const limited = AbortSignal.any([cancelled, call, limit].filter((signal) => signal !== undefined));
  // Each request in flight adds a listener; this is not a leak.
  setMaxListeners(0, limited);
  return limited;
}

/** @throws ConfigurationError unless the program asks for a replacement when the service changes */
function serviceChanged(settings: ResolvedSettings, { service }: Entry, run = noRunOptions): boolean {
  if (service === undefined || isSameService(settings, service)) {
    return false;
  }
  if (!run.followsProvider) {
    assertSameService(settings, service);
  }
  return true;
}

const endsWithLogin =
  "It will expire no later than the login token. Increase the lifetime of that login's tokens.";

const shownWarnings = new Set<string>();

function warnOnce(warning: string | undefined): void {
  if (warning !== undefined && !shownWarnings.has(warning)) {
    shownWarnings.add(warning);
    logToEngine("warning", undefined, warning);
  }
}

/**
 * The engine prints the value of a failure's property in plain text, even if it is secret, and `{<nil>}` if it is missing.
 * The value of an unknown argument can be anything, such as a token under a misspelled name.
 */
function presentable(
  { property, reason }: CheckFailure,
  { arguments: known }: AnyResourceDefinition,
  args: JsonObject,
): CheckFailure {
  const isShown =
    Object.hasOwn(known, property) && known[property]?.secret !== true && (args[property] ?? null) !== null;
  return isShown
    ? { property, reason: showable(reason) }
    : { property: "", reason: showable(`${property} ${reason}`) };
}

/** Each lifecycle is created once, on first use. */
export function lifecycles<Adapted>(
  classes: ReadonlyMap<string, ResourceClass>,
  adapt: (lifecycle: Lifecycle) => Adapted,
): (type: string) => Adapted {
  const known = new Map<string, Adapted>();
  return (type) => {
    const found = classes.get(type);
    if (found === undefined) {
      silenceEmptyReports();
      throw new LifecycleError(
        `The installed pulumi-trivium has no resource type ${type}: the state was written by a newer ` +
          "version. Upgrade pulumi-trivium in this project.",
      );
    }
    const adapted = known.get(type) ?? adapt(new Lifecycle(found.definition));
    known.set(type, adapted);
    return adapted;
  };
}
