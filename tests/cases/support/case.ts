import type * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import type { Properties } from "../../support/provider-process";
import type { Need, World, WorldSurroundings } from "./world";

/** Arguments as a program gives them, or what an object holds. */
export type Values = Readonly<Record<string, unknown>>;

/** What a service speaks: as its documents say, or as the products with nearly the same wire do. */
export type Dialect = "documented" | "hashicorp";

/** The service that a case runs against, in one dialect. */
export interface Surroundings {
  /** How to reach it; the dialect is added. */
  readonly connection: trivium.ProviderArgs;
  /** The emulator that plays the service; none where that is something else. */
  readonly emulator?: Emulator;
  /** The objects of this kind that exist, as the service holds them; none where only its interface can be asked. */
  readonly objects?: () => readonly Values[];
  /** How many requests the service has had; none where nobody counts them. */
  readonly requests?: () => number;
  readonly close: () => Promise<void>;
}

/** Every dialect. */
export const allDialects: readonly Dialect[] = ["documented", "hashicorp"];

/** One change of an argument. */
export interface Change<Around> {
  readonly argument: string;
  /** The new value. */
  readonly to?: unknown;
  /** The new value where the surroundings decide it. */
  toIn?(surroundings: Around): unknown;
  readonly replaces?: boolean;
  /** The object that replaces it has the same id, which says what it belongs to. */
  readonly keepsId?: boolean;
  /** What has to change together with it. */
  readonly also?: Values;
  /** What a real server has to have for it. */
  readonly needs?: Need;
}

/**
 * What a class of resources is tried with. What its definition says of it is not said again. A dialect may make a
 * difference only through the surroundings: programs are the same in all of them.
 */
export interface LifecycleCase<Around extends Surroundings = Surroundings> {
  /** Called once for each world before the first step. */
  prepare(world: World): Promise<Around>;
  /** How it is tried against real servers; none for what they do not have. */
  readonly live?: LiveCase<Around>;
  /** Arguments to create it with: all that the other members speak of. */
  valid(surroundings: Around): Values;
  /** One change for each argument. */
  readonly changes: readonly Change<Around>[];
  /** Other spellings of values in `valid`, which show no change. */
  spellings?(surroundings: Around): Values;
  /** Optional arguments whose removal clears them. */
  readonly cleared: readonly string[];
  /** A change behind the program's back, and the argument that shows it; none where drift cannot be seen. */
  readonly drift?: {
    readonly argument: string;
    cause(surroundings: Around, id: string): unknown;
    /** What the program changes beside it. Default: another argument, to a value that the case has for it. */
    beside?(surroundings: Around): Values;
  };
  /** Arguments that no answer holds, beside those of which the definition says so: `get` cannot know them. */
  readonly untold?: readonly string[];
  /** The same for what answers hold in the products only. */
  readonly untoldByDocuments?: readonly string[];
  /** It makes no object of its own: it manages one that is there, and which stays when the resource is deleted. */
  readonly inPlace?: boolean;
  /** What state has to hold of the object beyond what a refresh can see. */
  holds?(surroundings: Around, outputs: Values): unknown;
  /** Names are not unique: an object of the same name keeps nobody from creating another one. */
  readonly namesRepeat?: boolean;
  /** Deletes the object behind the program's back; none where that would take its surroundings with it. */
  vanish?(surroundings: Around, id: string): unknown;
  /** Destruction and replacement leave the object in a service that cannot delete it. */
  readonly remains?: {
    /** Where it is so. */
    readonly dialects: readonly Dialect[];
    /** What the user is told then. */
    readonly announced?: RegExp;
  };
  /** Texts that may appear nowhere in clear. */
  readonly canaries: readonly string[];
}

/** What the suites over all classes have to know of one: each file below `tests/cases/<service>` exports one. */
export interface ResourceCase<
  Around extends WorldSurroundings = WorldSurroundings,
> extends LifecycleCase<Around> {
  /** As in state: `provisioning:Project`. */
  readonly type: string;
  readonly live: LiveCase<Around>;
  /** What an emulated service holds beside what is needed: objects of others, traces of former days. */
  populate?(emulator: Emulator, surroundings: Around): unknown;
  /** Arguments beside the valid ones where requests fail, such as less patience. */
  readonly whenFailing?: Values;
  /** Arguments beside the valid ones in a state that is kept for years, where nobody listens. */
  readonly whenRecorded?: Values;
  /** It makes no requests that have answers: its service is a stream. */
  readonly stream?: true;
  /** What was there before its creation is known to nobody after the process was killed. */
  readonly forgets?: true;
  /** What an operation can do without, so that it succeeds although the request for it fails. */
  readonly dispensable?: Dispensable;
  /**
   * What is called by another name in the comparison of two lives, where chance decides which of several equal things
   * the resource has.
   *
   * @param outputs of the resource; `undefined` when there is none
   */
  aliases?(outputs: Properties | undefined): Readonly<Record<string, string>>;
  /**
   * What an answer that was lost may leave in the service although no state holds it. It has to be named: by the
   * error, or, when the process was killed, by the engine, which keeps the creation as pending. Default: nothing.
   */
  readonly leftovers?: Leftovers;
}

/** See {@link ResourceCase.dispensable}. */
interface Dispensable {
  /** What state may remember without it, in `__memory`. */
  readonly memory: Properties;
  /** How the user is told of it then. */
  readonly announced: RegExp;
}

/** What a class that has something minted promises where the answer to that is lost. */
interface Leftovers {
  /**
   * What is in the service and not in state.
   *
   * @param known whether state has, or has ever had, an id or a lease
   */
  find(traces: Traces, known: (id: string) => boolean): readonly Leftover[];
  /** How an error names it. */
  readonly named: RegExp;
  /** The service ends it by itself; otherwise it is for people to delete. */
  readonly endsByItself: boolean;
}

/** One thing that is left in the service. */
interface Leftover {
  /** When it ends, ISO 8601; null for never. */
  readonly expiresAt: string | null;
  /** Does to it what the service, or a person, will do. */
  end(operator: Operator): unknown;
}

/** What the services hold that a lost answer may leave there; an inspection of the emulator has it. */
export interface Traces {
  readonly provisioning: {
    readonly notificationConfigurations: readonly { readonly id: string; readonly destinationType: string }[];
  };
  readonly secrets: {
    readonly leases: readonly Expiring[];
    readonly totpMethods: readonly { readonly id: string; readonly issuer: string }[];
    readonly directoryIssuedAccounts: readonly { readonly leaseId: string }[];
    readonly directoryLibraryAccounts: readonly {
      readonly checkOut: { readonly leaseId: string; readonly expiresAt: string | null } | null;
    }[];
  };
}

interface Expiring {
  readonly id: string;
  /** ISO 8601; null for never. */
  readonly expiresAt: string | null;
}

/** Who ends what is left; the emulator can. */
export interface Operator {
  readonly provisioning: { removeNotificationConfiguration(id: string): unknown };
  readonly secrets: { revokeLease(id: string): unknown; removeTotpMethod(id: string): unknown };
}

/** What the generic suite has to know of a resource to try it against real servers. */
interface LiveCase<Around extends Surroundings> {
  /** What has to be there; what is missing is the reason why the case is left out. */
  readonly needs: readonly Need[];
  /** How many objects with these ids exist; none where the service's interface does not show them. */
  count?(surroundings: Around, ids: readonly string[]): Promise<number>;
}

/** A case as its file exports it. */
export function defineCase<Around extends WorldSurroundings>(
  resourceCase: ResourceCase<Around>,
): ResourceCase<Around> {
  return resourceCase;
}

/** The arguments that one of a case's changes gives. */
export function changesTo<Around extends Surroundings>(change: Change<Around>, surroundings: Around): Values {
  return { ...change.also, [change.argument]: change.toIn?.(surroundings) ?? change.to };
}

/**
 * The changes of a case in their order, those in place together that can be made in one update: no argument twice.
 * What replaces, or needs what a real server may lack, is alone.
 *
 * @param isAlone which arguments are alone too
 */
export function batchesOf<Around extends Surroundings>(
  { changes }: LifecycleCase<Around>,
  isAlone: (argument: string) => boolean = () => false,
): readonly (readonly Change<Around>[])[] {
  const batches: Change<Around>[][] = [];
  let taken = new Set<string>();
  let open = false;
  for (const change of changes) {
    const alone = change.replaces === true || change.needs !== undefined || isAlone(change.argument);
    const names = [change.argument, ...Object.keys(change.also ?? {})];
    if (!open || alone || names.some((name) => taken.has(name))) {
      batches.push([]);
      taken = new Set();
    }
    batches.at(-1)?.push(change);
    names.forEach((name) => taken.add(name));
    open = !alone;
  }
  return batches;
}

/** As many arguments as go together: the valid ones, and of the others what the changes have for them. */
export function allArguments<Around extends Surroundings>(
  resourceCase: LifecycleCase<Around>,
  surroundings: Around,
): Values {
  return resourceCase.changes.reduce<Values>((all, change) => {
    const more = changesTo(change, surroundings);
    const fits =
      change.replaces !== true &&
      !(change.argument in all) &&
      Object.values(more).every((value) => value !== null && value !== undefined);
    return fits ? { ...more, ...all } : all;
  }, resourceCase.valid(surroundings));
}

/** The first update in place that a service gets to know of; none where there is no such. */
export function updateOf<Around extends Surroundings>(
  resourceCase: LifecycleCase<Around>,
  { arguments: known }: AnyResourceDefinition,
): ((surroundings: Around) => Values) | undefined {
  const batch = batchesOf(resourceCase).find((changes) =>
    changes.some(({ argument, replaces }) => {
      const { role = "remote", local = false } = known[argument] ?? {};
      return replaces !== true && (argument === "triggers" || (role === "remote" && !local));
    }),
  );
  return batch && ((surroundings) => together(batch, surroundings));
}

/** The first change that replaces, one of `triggers` if there is any; none where nothing does. */
export function replacementOf<Around extends Surroundings>({
  changes,
}: LifecycleCase<Around>): ((surroundings: Around) => Values) | undefined {
  const replacements = changes.filter(({ replaces }) => replaces === true);
  const change = replacements.find(({ argument }) => argument === "triggers") ?? replacements[0];
  return change && ((surroundings) => changesTo(change, surroundings));
}

/** What several changes give in one update. */
export function together<Around extends Surroundings>(
  changes: readonly Change<Around>[],
  surroundings: Around,
): Values {
  return changes.reduce<Values>((all, change) => ({ ...all, ...changesTo(change, surroundings) }), {});
}

/** Without the arguments that are taken away: the engine's calls have no word for them. */
export function given(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
