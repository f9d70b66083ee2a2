import { isDeepStrictEqual } from "node:util";
import type { Emulator } from "pulumi-trivium/testing";
import * as library from "../../../sdk/index";
import { type AnyResourceDefinition, collectClasses, definitionIn } from "../../../sdk/resource/definition";
import { isRemote, type StatedField } from "../../../sdk/resource/fields/field";
import type { Properties } from "../../support/provider-process";
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

/** What a program says, and what happens to it. */
interface Said<Context> {
  /** Arguments to create it with; the other members refer to them. */
  valid?(context: Context): Values;
  /** Other spellings of values in `valid`, which show no change. */
  spellings?(context: Context): Values;
  /** Each begins with the argument that it is about; the others have to change with that. */
  readonly changes?: readonly Given<Context>[];
  /** Further arguments to create it with, for suites that must give each argument once: they exclude others, or do not change. */
  readonly sets?: readonly Given<Context>[];
  /** The changes that need Vault Enterprise. */
  readonly enterprise?: readonly Given<Context>[];
  /** What is written behind the program's back, by the argument that shows it; absent where drift is invisible. */
  readonly drifts?: Readonly<Record<string, Given<Context>>>;
  /** What the program changes at the same time as a drift. Default: another argument. */
  readonly beside?: (context: Context) => Values;
}

/** What the file of a class says. The rest of the case follows from it and from the definition. */
interface SaidOfCase<Context> extends Said<Context> {
  /** As in state: `provisioning:Project`. */
  readonly type: string;
  /** Those that have the class. Default: all. */
  readonly dialects?: readonly Dialect[];
  valid(context: Context): Values;
  /** What a real server must have. If it is missing, the case is skipped for that reason. */
  readonly needs: readonly Need[];
  /** What it must have for the change of an argument. */
  readonly changeNeeds?: Readonly<Record<string, Need>>;
  /** How many of the objects exist. Absent where the service's interface does not show them. */
  readonly count?: (context: Context, ids: readonly string[]) => Promise<number>;
  /** Arguments whose replacement keeps the id, because the id names what the object belongs to. */
  readonly keepsId?: readonly string[];
  /** Optional arguments whose removal does not clear them. */
  readonly lasting?: readonly string[];
  /** Writes values of `drifts` into an object. */
  drifting?(context: Context, id: string, values: Values): unknown;
  /** What only the hashicorp dialect has, beside the rest: see {@link caseIn}. */
  readonly hashicorp?: Said<Context>;
  /** Arguments that no response contains, so that `get` cannot know them. */
  readonly untold?: readonly string[];
  /** The same for arguments that only the products return. */
  readonly untoldByDocuments?: readonly string[];
  /** It creates no object, but manages an existing one, which survives the deletion of the resource. */
  readonly inPlace?: boolean;
  /** Checks what a refresh cannot see. */
  holds?(context: Context, outputs: Values): unknown;
  /** Names are not unique: a name that exists does not prevent another creation. */
  readonly namesRepeat?: boolean;
  /** Absent where it would delete the context too. */
  vanish?(context: Context, id: string): unknown;
  /** Where destruction and replacement leave the object behind, because the service cannot delete it; and the warning. */
  readonly remains?: { readonly dialects: readonly Dialect[]; readonly announced?: RegExp };
  /** Secrets that must not be shown in plain text. */
  readonly canaries?: readonly string[];
  /** Adds objects of others, or traces of the past, to an emulated service. */
  populate?(emulator: Emulator, context: Context): unknown;
  /** Additional arguments where requests fail, such as a shorter timeout. */
  readonly whenFailing?: Values;
  /** Additional arguments for recorded states, which are read without services. */
  readonly whenRecorded?: Values;
  /** Its service is a stream, so there are no responses to lose. */
  readonly stream?: true;
  /** What existed before its creation is lost when the process is killed. */
  readonly forgets?: true;
  /**
   * What an operation can omit, so that it succeeds although the request for it fails: the value of `__private` in state
   * without it, and the warning to the user.
   */
  readonly dispensable?: { readonly privateState: Properties; readonly announced: RegExp };
  /** Names to replace in a comparison of two runs, where the service chooses among equal objects. */
  aliases?(outputs: Properties | undefined): Readonly<Record<string, string>>;
  /** Objects that a lost response may leave outside of state; an error or the pending creation must name them. */
  readonly leftovers?: {
    /** Also those that state has, or has ever had. */
    find(traces: Traces): readonly Trace[];
    readonly named: RegExp;
    /** As the user must do it. Absent for leases, which expire. */
    remove?(operator: Operator, id: string): unknown;
  };
}

/** `expiresAt` in ISO 8601; null for never. */
interface Trace {
  readonly id: string;
  readonly expiresAt?: string | null;
}

/** What a lost response may leave in the services; an inspection of the emulator conforms to it. */
export interface Traces {
  readonly provisioning: {
    readonly notificationConfigurations: readonly (Trace & { readonly destinationType: string })[];
  };
  readonly secrets: {
    readonly leases: readonly Trace[];
    readonly totpMethods: readonly (Trace & { readonly issuer: string })[];
    readonly directoryLibraryAccounts: readonly { readonly checkOut: { readonly leaseId: string } | null }[];
  };
}

export interface Operator {
  readonly provisioning: { removeNotificationConfiguration(id: string): unknown };
  readonly secrets: { revokeLease(id: string): unknown; removeTotpMethod(id: string): unknown };
}

/** How a class is tested, without what its definition already says. Programs are the same in all dialects. */
export type ResourceCase = ReturnType<typeof defineCase<CaseContext>>;

type Change = ResourceCase["changes"][number];

/** Each file below `tests/cases/<service>` exports one, for the suites over all classes. */
export function defineCase<Context extends CaseContext>(
  // Called once for each set of services, before the first step.
  said: { prepare(services: TestServices): Promise<Context> } & SaidOfCase<NoInfer<Context>>,
) {
  const { needs, count, canaries = [], hashicorp = {}, lasting = [], keepsId = [], ...others } = said;
  const { arguments: rows = {} } = definitions.get(said.type) ?? {};
  const changesOf = ({ changes = [], enterprise = [] }: Said<Context>) =>
    [...changes, ...enterprise].map((values) => {
      const [argument = ""] = Object.keys(values);
      const { replaces } = rows[argument] ?? {};
      return {
        argument,
        /** Also those that must change together with it. */
        names: Object.keys(values),
        to(context: Context): Values {
          return resolved(values, context);
        },
        replaces: replaces === true || (replaces === "presence" && values[argument] === null),
        keepsId: keepsId.includes(argument),
        /** What a real server must have for it. */
        needs: enterprise.includes(values) ? ("Vault Enterprise" as const) : said.changeNeeds?.[argument],
      };
    });
  const driftsOf = ({ drifts = {}, beside }: Said<Context>) =>
    Object.entries(drifts).map(([argument, values]) => ({
      argument,
      cause(context: Context, id: string): unknown {
        return said.drifting?.(context, id, resolved(values, context));
      },
      beside,
    }));
  const definition = definitions.get(said.type);
  const inEach = definition ? allDialects.map((dialect) => definitionIn(definition, dialect).arguments) : [];
  const isCleared = (name: string): boolean => {
    const { local, replaces } = rows[name] ?? {};
    const each = inEach.flatMap(({ [name]: argument }) => argument ?? []);
    const canBeLeft = each.every(({ isRequired, default: usual }) => !isRequired && usual === undefined);
    return local !== "creation" && replaces !== true && canBeLeft;
  };
  const cleared = Object.keys(rows).filter((name) => isCleared(name) && !lasting.includes(name));
  const isDocumented = (name: string): boolean => rows[name]?.only !== "hashicorp";
  const setsOf = ({ sets = [] }: Said<Context>) =>
    sets.map((values) => ({
      names: Object.keys(values),
      to: (context: Context) => resolved(values, context),
    }));
  const [drift, ...drifts] = driftsOf(said);
  return {
    ...others,
    live: { needs, count },
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

/** Those that have the class; the first is that of suites in one dialect. */
export function dialectsOf({ dialects = allDialects }: Pick<ResourceCase, "dialects">): readonly Dialect[] {
  return dialects;
}

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

/** Arguments that `get` cannot know in a dialect, because no response contains them. */
export function untoldIn(dialect: Dialect, { untold = [], untoldByDocuments = [] }: ResourceCase) {
  return dialect === "documented" ? [...untold, ...untoldByDocuments] : untold;
}

/**
 * Groups changes that one update can make. A replacement, or a change that a real server may not support, is alone.
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
