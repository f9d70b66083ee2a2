import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Emulator } from "pulumi-trivium/testing";
import * as library from "../../../sdk/index";
import { type AnyResourceDefinition, collectClasses, definitionIn } from "../../../sdk/resource/definition";
import { isRemote, type OutputDefinition, type StatedField } from "../../../sdk/resource/fields/field";
import { nothingKnown } from "../../../sdk/resource/lifecycle/check";
import type { Need, CaseContext, TestServices } from "./test-services";

export const definitions: ReadonlyMap<string, AnyResourceDefinition> = new Map(
  [...collectClasses(library)].map(([type, { definition }]) => [type, definition]),
);

export type Values = Readonly<Record<string, unknown>>;

export type Dialect = "documented" | "hashicorp";

export const allDialects: readonly Dialect[] = ["documented", "hashicorp"];

/** With what a row says beyond its class, as in the dialect that has all of them. */
export function allFieldsOf(definition: AnyResourceDefinition) {
  const { arguments: known, outputs } = definitionIn(definition, "hashicorp");
  return { ...outputs, ...known };
}

/** Whether a change is a request, by itself. */
export function isOnWire(argument: StatedField = {}): boolean {
  return isRemote(argument) && argument.local !== "class";
}

/** Values by name, each as it is or as the context has it. */
type Given<Context> = Readonly<
  Record<string, object | string | number | boolean | null | undefined | ((context: Context) => unknown)>
>;

/** What the file of a class says. The rest of the case follows from it, from the rows and from the definition. */
interface SaidOfCase<Context> {
  /** As in state: `provisioning:Project`. */
  readonly type: string;
  /** What a real server must have: without it the case is skipped, or only the change of an argument. */
  readonly needs: readonly (Need | Readonly<Record<string, Need>>)[];
  /** How many of the objects a real service has. */
  readonly count:
    "not shown by the service" | ((context: Context, ids: readonly string[]) => Promise<number>);
  /** Arguments to create it with; the other members refer to them. */
  valid(context: Context): Values;
  /** Each begins with the argument that it is about; the others have to change with that. */
  readonly changes: readonly Given<Context>[];
  /** Further arguments to create it with, for suites that must give each argument once: they exclude others, or do not change. */
  readonly alsoCreatedWith?: readonly Given<Context>[];
  /** Other spellings of values in `valid`, which show no change. */
  spellings?(context: Context): Values;
  /** Values to write behind the program's back, by the argument that shows it; absent where drift is invisible. */
  readonly drifts?: Readonly<Record<string, Given<Context>>>;
  /** Writes values of `drifts` into an object. */
  changeByHand?(context: Context, id: string, values: Values): unknown;
  /** Deletes an object. Absent where it would delete the context too. */
  deleteByHand?(context: Context, id: string): unknown;
  /** What only the hashicorp dialect has, beside the rest: see {@link caseIn}. */
  readonly hashicorp?: Partial<
    Pick<SaidOfCase<Context>, "valid" | "spellings" | "changes" | "alsoCreatedWith" | "drifts">
  >;
  /** Optional arguments whose removal does not clear them. */
  readonly notCleared?: readonly string[];
  /** Other arguments where requests fail, so that it does not wait for what never comes. */
  readonly withoutWaiting?: Values;
  /** Secrets that must not be shown in plain text. */
  readonly canaries?: readonly string[];
  /** Adds objects of others, or traces of the past, to an emulated service. */
  populate?(emulator: Emulator, context: Context): unknown;
  /** The warning that a deletion leaves the object behind, by the dialects in which the service cannot delete it. */
  readonly leftByDeletion?: Readonly<Partial<Record<Dialect, RegExp>>>;
  /** Objects that a lost response can leave outside state; an error or the pending creation must name them. */
  readonly leftByLostResponse?: {
    /** Also those that state has, or has ever had. */
    find(traces: Traces): readonly { readonly id: string }[];
    readonly named: RegExp;
  };
}

/** For a deletion that changes nothing, and does not say so. */
export const unannounced = { documented: /(?:)/, hashicorp: /(?:)/ };

/** What a lost response can leave in the services. An inspection of the emulator has this type. */
export interface Traces {
  readonly provisioning: {
    readonly notificationConfigurations: readonly { readonly id: string; readonly name: string }[];
  };
  readonly secrets: {
    /** `expiresAt` in ISO 8601; null for never. */
    readonly leases: readonly { readonly id: string; readonly expiresAt: string | null }[];
    readonly totpMethods: readonly { readonly id: string; readonly issuer: string }[];
    readonly directoryLibraryAccounts: readonly { readonly checkOut: { readonly leaseId: string } | null }[];
  };
}

/** How a class is tested, without what its definition already says. Programs are the same in all dialects. */
export type ResourceCase = ReturnType<typeof defineCase<CaseContext>>;

type Change = ResourceCase["changes"][number];

type Stated<Context> = Pick<SaidOfCase<Context>, "changes" | "alsoCreatedWith" | "drifts">;

/** Each file below `tests/cases/<service>` exports one, for the suites over all classes. */
export function defineCase<Context extends CaseContext>(
  // Called once for each set of services, before the first step.
  said: { prepare(services: TestServices): Promise<Context> } & SaidOfCase<NoInfer<Context>>,
) {
  const { needs, count, canaries = [], hashicorp = {}, notCleared = [], ...others } = said;
  const definition = definitions.get(said.type) ?? assert.fail(`There is no ${said.type}.`);
  const { arguments: rows, identity = {}, rules = [], service } = definition;
  const inEach = allDialects.map((dialect) => definitionIn(definition, dialect).arguments);
  const changesOf = ({ changes = [] }: Partial<Stated<Context>>) =>
    changes.map((values) => {
      const names = Object.keys(values);
      const [argument = ""] = names;
      const { replaces } = rows[argument] ?? {};
      const onlyIn = names.flatMap((name) => inEach.flatMap(({ [name]: row }) => row?.since ?? []));
      const stated = needs.flatMap((need) => (typeof need === "object" ? (need[argument] ?? []) : []));
      return {
        argument,
        /** Also those that must change together with it. */
        names,
        to(context: Context): Values {
          return resolved(values, context);
        },
        replaces: replaces === true || (replaces === "presence" && values[argument] === null),
        /** What a real server must have for it. */
        needs: onlyIn.some(isOnlyInVault) ? ("Vault Enterprise" as const) : stated[0],
      };
    });
  const driftsOf = ({ drifts = {} }: Partial<Stated<Context>>) =>
    Object.entries(drifts).map(([argument, values]) => ({
      argument,
      cause(context: Context, id: string): unknown {
        return said.changeByHand?.(context, id, resolved(values, context));
      },
    }));
  const setsOf = ({ alsoCreatedWith = [] }: Partial<Stated<Context>>) =>
    alsoCreatedWith.map((values) => ({
      names: Object.keys(values),
      to: (context: Context) => resolved(values, context),
    }));
  const isCleared = (name: string): boolean => {
    const { local, replaces } = rows[name] ?? {};
    const each = inEach.flatMap(({ [name]: argument }) => argument ?? []);
    const canBeLeft = each.every(({ isRequired, default: usual }) => !isRequired && usual === undefined);
    return local !== "creation" && replaces !== true && canBeLeft;
  };
  const cleared = Object.keys(rows).filter((name) => isCleared(name) && !notCleared.includes(name));
  const isDocumented = (name: string): boolean => rows[name]?.only !== "hashicorp";
  // A rule about no argument is one about the class.
  const isRefused = (dialect: Dialect): boolean =>
    rules.some((rule) => rule.between.length === 0 && Boolean(rule.check({}, dialect, {}, nothingKnown)));
  const isStream = service.name === "scheduler";
  const [drift, ...drifts] = driftsOf(said);
  return {
    ...others,
    live: {
      needs: needs.filter((need) => typeof need === "string"),
      count: typeof count === "string" ? undefined : count,
    },
    /** Those that have the class; the first is that of suites in one dialect. */
    dialects: allDialects.filter((dialect) => !isRefused(dialect)),
    /** Its service is a stream, so there are no responses to lose. */
    isStream,
    /** It creates no object, but manages an existing one, which survives the deletion of the resource. */
    managesExisting: identity.managesExisting === true || (identity.idIsShared === true && !isStream),
    /** Names are not unique: a name that exists does not prevent another creation. */
    namesRepeat: "adopt" in rows && identity.arguments === undefined && identity.claims === undefined,
    changes: changesOf(said),
    sets: setsOf(said),
    /** Optional arguments whose removal clears them. */
    cleared: cleared.filter(isDocumented),
    drift,
    drifts,
    hashicorp: {
      ...hashicorp,
      changes: changesOf(hashicorp),
      sets: setsOf(hashicorp),
      cleared: cleared.filter((name) => !isDocumented(name)),
      drifts: driftsOf(hashicorp),
    },
    canaries: [bindPassword, ...canaries],
  };
}

/** Whether only releases of Vault have a field, which OpenBao ignores; a test needs the newest with all features. */
function isOnlyInVault(since: string): boolean {
  return since.startsWith("Vault") && !since.includes("OpenBao");
}

/** Whether a replacement by a change of the argument has the same ID: the ID is made of other arguments. */
export function keepsId({ type }: ResourceCase, argument: string, id: string, outputs: Values): boolean {
  const { arguments: names } = definitions.get(type)?.identity ?? {};
  const isPart = (name: string): boolean => id.toLowerCase().includes(String(outputs[name]).toLowerCase());
  return names !== undefined && !names.includes(argument) && names.every(isPart);
}

/** Whether `get` can tell an argument: the class returns it, and the dialect's responses promise it or have it. */
export function isReadable({ told = "always", local }: OutputDefinition, found: unknown): boolean {
  return local !== "state" && told !== "never" && (told !== "maybe" || (found ?? null) !== null);
}

function resolved<Context>(values: Given<Context>, context: Context): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "function" ? value(context) : value,
    ]),
  );
}

/** The bind password of every directory engine; it must not be shown anywhere. */
export const bindPassword = "canary-bind-password-77ce";

/** With what only the dialect has. */
export function caseIn(dialect: Dialect, resourceCase: ResourceCase): ResourceCase {
  const { hashicorp: more } = resourceCase;
  return dialect === "documented"
    ? resourceCase
    : {
        ...resourceCase,
        valid: (context) => ({ ...resourceCase.valid(context), ...more.valid?.(context) }),
        spellings: (context) => ({ ...resourceCase.spellings?.(context), ...more.spellings?.(context) }),
        changes: [...resourceCase.changes, ...more.changes],
        sets: [...resourceCase.sets, ...more.sets],
        cleared: [...resourceCase.cleared, ...more.cleared],
        drifts: [...resourceCase.drifts, ...more.drifts],
      };
}

/**
 * Groups changes that one update can make. A replacement, or a change that a real server might not support, is in a group of its own.
 *
 * @param isAlone selects further arguments that must be alone
 */
export function batchesOf(
  { changes }: ResourceCase,
  isAlone: (argument: string) => boolean = () => false,
): readonly (readonly Change[])[] {
  const batches: Change[][] = [];
  let taken = new Set<string>();
  let open = false;
  for (const change of changes) {
    const alone = change.replaces || change.needs !== undefined || isAlone(change.argument);
    if (!open || alone || change.names.some((name) => taken.has(name))) {
      batches.push([]);
      taken = new Set();
    }
    batches.at(-1)?.push(change);
    change.names.forEach((name) => taken.add(name));
    open = !alone;
  }
  return batches;
}

/** As many arguments as fit together: the valid ones, and the others with values from the changes. */
export function allArguments(resourceCase: ResourceCase, context: CaseContext): Values {
  return resourceCase.changes.reduce<Values>((all, change) => {
    const more = change.to(context);
    const fits =
      !change.replaces &&
      !(change.argument in all) &&
      Object.entries(more).every(
        ([name, value]) =>
          value !== null && value !== undefined && (!(name in all) || isDeepStrictEqual(all[name], value)),
      );
    return fits ? { ...more, ...all } : all;
  }, resourceCase.valid(context));
}

/** In all these dialects, and with the arguments that its case has. */
export function canAdopt(
  { arguments: { adopt } }: AnyResourceDefinition,
  dialects: readonly Dialect[] = allDialects,
): boolean {
  return adopt !== undefined && dialects.every((dialect) => (adopt.only ?? dialect) === dialect);
}

type ChangesIn = ((context: CaseContext) => Values) | undefined;

/** The first update in place that sends a request. */
export function updateOf(resourceCase: ResourceCase): ChangesIn {
  const { arguments: rows = {} } = definitions.get(resourceCase.type) ?? {};
  const isSent = ({ argument, replaces }: Change): boolean =>
    !replaces && (argument === "triggers" || isOnWire(rows[argument]));
  const batch = batchesOf(resourceCase).find((changes) => changes.some(isSent));
  return batch && ((context) => together(batch, context));
}

/** The first change that replaces; one of `triggers` if there is any. */
export function replacementOf({ changes }: ResourceCase): ChangesIn {
  const replacements = changes.filter(({ replaces }) => replaces);
  const change = replacements.find(({ argument }) => argument === "triggers") ?? replacements[0];
  return change && ((context) => change.to(context));
}

export function together(changes: readonly Change[], context: CaseContext): Values {
  return changes.reduce<Values>((all, change) => ({ ...all, ...change.to(context) }), {});
}

/** The engine's calls cannot express `undefined`. */
export function given(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
