import type * as Zod from "zod";
import type { Caller } from "../base/caller";
import type { Dialect } from "../base/settings";
import type { Service } from "../connection/service";
import {
  type ArgumentDefinition,
  type Current,
  type Desired,
  equivalent,
  type Fields,
  type FieldsIn,
  type Given,
  isEmpty,
  type OutputDefinition,
  type Rows,
  type StatedField,
  type Validation,
} from "./fields/field";
import { isGiven } from "./fields/kinds";
import { TriviumError } from "../base/errors";
import { isObject, type JsonObject, type JsonValue } from "../base/json";

/** The fields in a response. A missing key is unknown; null is a value. */
export type RemoteState = Readonly<Record<string, unknown>>;

/** What a class remembers of its object, beside the outputs. */
export type PrivateState = Readonly<Record<string, JsonValue | undefined>>;

/** The type of a {@link ResourceBehavior.privateState}. */
export type PrivateStateOf<Shape extends (z: Validation) => Zod.ZodType> = Zod.output<ReturnType<Shape>>;

export interface RemoteObject<Private = PrivateState> {
  readonly id: string;
  readonly state: RemoteState;
  /** Data for later steps. Stored in plain text, so never a secret. Default: the former value. */
  readonly privateState?: Private;
  /** Details that the error shows if the object prevents a creation: `bound to the entity 17`. */
  readonly detail?: string;
  /**
   * Why a creation failed although the object exists. The object is kept in state, and the next update sends
   * what differs.
   */
  readonly failure?: string;
}

/** What exists in the service before a creation. */
export interface Look<Seen = unknown> {
  /** The object that the creation would collide with. */
  readonly existing?: RemoteObject | undefined;
  /** What already existed: whatever a later look finds in addition was created. */
  readonly seen?: Seen;
}

/** How work takes turns: by a key of the service for all classes, or by the class's own rules. */
export type Turn = string | { run<Result>(work: () => Promise<Result>): Promise<Result> };

export interface Step<Client, Private = PrivateState> extends Caller {
  readonly client: Client;
  /** See {@link RemoteObject.privateState}. */
  readonly privateState: Private;
  /** The managed arguments, cleared ones included; empty during creation. */
  readonly managed: ReadonlySet<string>;
  /** Replaces the private state in a read or an update. */
  remember?(privateState: Private): void;
  readonly others: Others<Private>;
}

/** What other resources of the stack do with an object. */
export interface Others<Private = PrivateState> {
  /**
   * What the definition `inherits` from an entry in state whose object is in the same service.
   */
  readonly inherited: (Pick<InheritedState, "managed"> & { readonly privateState: Private }) | undefined;
  /** Whether another resource now manages a part of the object. */
  readonly isElsewhere: (part: string) => boolean;
  /** Records that this resource placed a part of the object. */
  readonly move: (part: string) => void;
  /** Records that the resource is not created because of an existing object that `look` does not find. */
  readonly refuse: (id: string) => void;
}

/** The relations of an object that other resources do not use. */
export const noOthers: Others<never> = {
  inherited: undefined,
  isElsewhere: () => false,
  move: () => undefined,
  refuse: () => undefined,
};

/** The lifecycle, the registry, the tests and the reference pages are derived from it. */
export interface ResourceDefinition<
  Client,
  Values,
  Seen = unknown,
  Table extends Rows = Rows,
  Private extends PrivateState = PrivateState,
> extends ResourceBehavior<Client, Values, Seen, Table, Private> {
  /** `service[/engine]:Type`. Users' state contains it, so it never changes. */
  readonly type: string;
  readonly service: Service<unknown>;
  /** The rows of all dialects. */
  readonly arguments: Readonly<Record<string, StatedField>>;
  readonly outputs: Readonly<Record<string, StatedField>>;
  readonly fields: {
    in(dialect: Dialect): Pick<FieldsIn<never>, "arguments" | "outputs" | "schema">;
  };
}

/** How objects are distinguished. */
export interface Identity<Values = JsonObject> {
  /** A description of the ID, if objects can be read by their IDs: `the method's id`. */
  readonly idIs?: string;
  /** The arguments that identify the object: two resources of a program must not have the same values. */
  readonly arguments?: readonly string[];
  /** What only one resource of a program can have, in addition to the identifying arguments or instead of them. */
  claims?(values: Values, dialect: Dialect): readonly Claim[];
  /** Normalizes an ID that the service accepts in several forms. Must return an invalid ID unchanged. */
  readonly canonicalId?: (id: string, dialect: Dialect) => string;
  /** Whether a creation manages an existing object, so that a replacement has the same ID. */
  readonly managesExisting?: boolean;
  /** Whether several resources can have the same ID, because it belongs to another object. */
  readonly idIsShared?: boolean;
}

export interface Claim {
  /** The key of the claim, the same for all resources (of any class) with this claim. */
  readonly key: string;
  /** For the error: `workspaceIds: ws-1`. */
  readonly what: string;
  /** What to do about another claim. Default: remove one of the two. */
  readonly advice?: string;
  /**
   * Whether the claim is shared: other resources that share it can claim it too; one that does not share it
   * cannot.
   */
  readonly isShared?: boolean;
}

/** A lease that, according to state, has ended or will end too soon, and is therefore replaced. */
export interface Ending {
  /** A sentence without its end: `The token a-1 has expired (2030-01-01T00:00:00.000Z)`. */
  readonly reason: string;
  /** Whether the lease has ended; otherwise it will end too soon. */
  readonly isOver: boolean;
  /** Whether the service might report otherwise, so that a read asks the service. */
  readonly mayDiffer: boolean;
}

/** An object, according to state or the service. */
export interface Former {
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly privateState: PrivateState;
}

export interface EntryInState extends Former {
  /** The type of its definition. */
  readonly type: string;
  /** The service where the object was created. */
  readonly at: string;
  /** The names of the managed arguments. */
  readonly managed: readonly string[];
}

export interface InheritedState extends Pick<EntryInState, "at" | "privateState" | "managed"> {
  /** Why a replacement is rejected: it would write the program's value, which is obsolete. */
  readonly obsolete?: string;
}

export interface RotatedSecret {
  readonly argument: string;
  /** Why a replacement is rejected while the program still has the former value. */
  readonly refuses: (former: Former, args: JsonObject) => string | undefined;
}

export interface ResourceBehavior<
  Client,
  Values,
  Seen = unknown,
  Table extends Rows = Rows,
  Private extends PrivateState = PrivateState,
> {
  /** The {@link RemoteObject.privateState}, which tolerates members that are missing or wrong. Default: none. */
  readonly privateState?: (z: Validation) => Zod.ZodType<Private>;
  /** Not checked for unknown or invalid arguments. */
  readonly rules?: readonly Rule<Given<Table>>[];
  readonly identity?: Identity<Given<Table>>;
  /**
   * Whether the object and its replacement cannot exist at the same time; a string is a warning about what the
   * plan does not show. Default: true if there is a {@link look}.
   */
  readonly deleteBeforeReplace?: boolean | ((values: JsonObject) => string | boolean);
  /** Why a deletion is rejected, alone or as part of a replacement. */
  readonly refusesDeletion?: (
    outputs: JsonObject,
    managed: ReadonlySet<string>,
    dialect: Dialect,
  ) => TriviumError | undefined;
  /**
   * What the resource inherits from entries in the state of its stack, its own among them: the provider
   * process sees no other entry. Without a {@link rotated} secret, a preview does not ask.
   */
  readonly inherits?: (
    args: JsonObject,
    entries: readonly EntryInState[],
    own: EntryInState | undefined,
  ) => readonly InheritedState[];
  /**
   * A secret that the service might rotate. A replacement would then delete the only copy of the secret and
   * write an obsolete one.
   */
  readonly rotated?: RotatedSecret;
  /** How `npx pulumi-trivium import-file` finds existing objects. Default: only by their IDs. */
  readonly importedBy?: ImportSource<Client>;
  /**
   * Whether an update replaces or creates the whole object. Such an update first reads the object, fails if
   * it does not exist, and receives the current values of omitted fields.
   */
  readonly updatesWholeObject?: boolean;
  /**
   * For leases: whether the lease must be replaced now. Does not send requests, because previews also call
   * it; arguments can be unknown.
   */
  ending?(outputs: Current<Table>, args: JsonObject, now: number, dialect: Dialect): Ending | undefined;

  /**
   * How updates take turns in this process, as do creations together with the look before them. Default: they
   * do not.
   */
  turn?(step: Step<Client, Private>, desired: Values): Turn | undefined;
  /**
   * Whether several resources write parts of the same object: turns then include deletions and the other
   * processes on this machine.
   */
  readonly writesParts?: boolean;
  /**
   * The names that requests about the object can have, according to the service. Default: only responses show what
   * the service ignores.
   */
  parameters?(step: Step<Client, Private>, desired: Values): Promise<ReadonlySet<string> | undefined>;
  /** Looks for the object before a creation. Default: the service rejects what already exists. */
  look?(step: Step<Client, Private>, desired: Values): Promise<Look<Seen>>;
  /** Finds what was created if the response to a creation was lost. Default: the library does not try. */
  recover?(
    step: Step<Client, Private>,
    desired: Values,
    seen: Seen | undefined,
  ): Promise<RemoteObject<Private> | undefined>;
  create(step: Step<Client, Private>, desired: Values, seen?: Seen): Promise<RemoteObject<Private>>;
  /** @returns `undefined` only if the object is proven not to exist */
  read(step: Step<Client, Private>, id: string, current: Current<Table>): Promise<RemoteState | undefined>;
  /**
   * `changed`: arguments whose desired values are not yet in the service. Default: a change does not send a
   * request.
   */
  update?(
    step: Step<Client, Private>,
    id: string,
    desired: Values,
    changed: Changed<keyof Table & string>,
    current: Current<Table>,
  ): Promise<RemoteState>;
  delete(step: Step<Client, Private>, id: string, current: Current<Table>): Promise<void>;
}

/** The class's own argument names only. */
export interface Changed<Name extends string> extends ReadonlySet<string> {
  has(name: Name): boolean;
}

export interface ImportSource<Client> {
  /**
   * The option that names the place, such as an organization or a mount, or several. Classes can share it.
   */
  readonly option: string | readonly string[];
  ids(client: Client, place: string, option: string): Promise<readonly string[]>;
  /** The fields that follow from the place alone. */
  readonly known?: (place: string, option: string) => RemoteState;
}

export interface Rule<Values = Readonly<Record<string, unknown>>> {
  /** The arguments that the rule needs: it is only called if all of them are known. */
  readonly between: readonly (keyof Values & string)[];
  /** The arguments of which only the presence matters: the rule also applies to invalid values. */
  readonly byPresence?: readonly (keyof Values & string)[];
  /**
   * Checks the rule.
   *
   * @param former the program's arguments in state; `undefined` for a new resource
   */
  check(
    values: Values,
    dialect: Dialect,
    former: Values | undefined,
    program: KnownOfProgram,
  ): BrokenRule<keyof Values & string> | false | undefined;
}

/** Facts about an object of the same service, such as a mount, that the rules of resources share. */
export interface KnownOfProgram {
  tell(about: string, fact: string): void;
  /** @returns the facts from resources that were checked earlier, such as dependencies */
  told(about: string): readonly string[];
}

export interface BrokenRule<Name extends string = string> {
  /** The argument that should change. */
  readonly argument: Name;
  /** Never repeats a value, which might be secret. */
  readonly reason: string;
  /** Shown as a warning, because the documentation does not forbid it. */
  readonly warning?: boolean;
}

/** A rule about arguments of any class that has them. */
export interface RuleAbout<Name extends string> {
  readonly between: readonly Name[];
  readonly byPresence?: readonly Name[];
  check(values: Readonly<Partial<Record<Name, unknown>>>, dialect: Dialect): BrokenRule<Name> | false;
}

/** For rules, 0 and false count as not set, because they are the service's defaults. */
export function notTogether<const Name extends string>(
  argument: Name,
  other: Name,
  why = "",
): RuleAbout<Name> {
  const reason = `must not be set together with ${other}${why}`;
  return {
    between: [argument, other],
    byPresence: [argument, other],
    check: ({ [argument]: value, [other]: more }) => isGiven(value) && Boolean(more) && { argument, reason },
  };
}

export function needs<const Name extends string>(argument: Name, other: Name, why = ""): RuleAbout<Name> {
  const reason = `needs ${other}${why}`;
  return {
    between: [argument, other],
    byPresence: [argument, other],
    check: ({ [argument]: value, [other]: more }) => Boolean(value) && !isGiven(more) && { argument, reason },
  };
}

/** If `other` does not exist in a dialect, that dialect's schema requires the argument. */
export function requiredWithout<const Name extends string>(argument: Name, other: Name): RuleAbout<Name> {
  const reason = `is required without ${other}`;
  return {
    between: [argument, other],
    byPresence: [argument, other],
    check: ({ [argument]: value, [other]: more }) => !isGiven(value) && !more && { argument, reason },
  };
}

/** Whether a program can omit the value, because it is empty or the service's default. */
export function isUsual(argument: ArgumentDefinition, value: JsonValue, others: JsonObject): boolean {
  const usual = [argument.default, argument.serviceDefault?.(others), argument.cleared];
  return (
    value === null ||
    isEmpty(value) ||
    usual.some((other) => other !== undefined && equivalent(argument, value, other))
  );
}

// The engine creates a renamed resource before it deletes the former one.
export const afterRename = "If you renamed the resource, add its former name to the `aliases` option.";

/** The resource of this program that has an object: its name, or `itself`. */
export type Holder = { readonly name: string } | "itself" | undefined;

/** @param others what to do if no resource of the program has the object */
export function adviceOnHolder(holder: Holder, others: string): string {
  const { name } = typeof holder === "object" ? holder : {};
  const dependency = name === undefined ? "" : "make this resource depend on it (`dependsOn`), or ";
  const again = `${dependency}run \`pulumi up\` again`;
  if (holder === "itself") {
    return (
      "It is the object that this resource replaces: `retainOnDelete` or `deleteBeforeReplace: false` keeps it. " +
      "Remove that option, choose another name, or set `adopt: true` to manage the object again."
    );
  }
  return name === undefined
    ? `${others} If another resource gives it up in the same update, ${again}.`
    : `The resource ${name} of this program manages it. If ${name} gives it up in the same update, ${again}. ` +
        "Otherwise, remove one of the two resources, or choose another name.";
}

export function alreadyExists(type: string, { id, detail }: RemoteObject, holder: Holder): TriviumError {
  return new TriviumError(
    `${type} already exists (id ${id})${detail === undefined ? "" : `, ${detail}`}; nothing was changed. ` +
      adviceOnHolder(
        holder,
        `To adopt it, set \`adopt: true\`. If another stack manages it, remove it from that stack first. ${afterRename}`,
      ),
  );
}

export interface AnyResourceDefinition extends ResourceDefinition<never, Record<string, unknown>> {}

export function defineResource<Client, Table extends Rows>(service: Service<Client>, fields: Fields<Table>) {
  return <Seen, Private extends PrivateState = PrivateState>(
    type: string,
    behavior: ResourceBehavior<Client, Desired<Table>, Seen, Table, Private>,
  ): ResourceDefinition<Client, Desired<Table>, Seen, Table, Private> => ({
    type,
    service,
    fields,
    arguments: fields.arguments,
    outputs: fields.outputs,
    ...behavior,
  });
}

/** Whether a replacement would write the former value of a secret that the service might rotate. */
export function rewritesSecret(rotated: RotatedSecret, former: Former, args: JsonObject): boolean {
  const { [rotated.argument]: value } = args;
  return isGiven(value) && value === former.outputs[rotated.argument];
}

/** @param former the former object, according to state or the service */
export function refusedReplacement(
  { rotated }: Pick<AnyResourceDefinition, "rotated">,
  former: Former,
  args: JsonObject,
) {
  return rotated && rewritesSecret(rotated, former, args) ? rotated.refuses(former, args) : undefined;
}

/**
 * A definition in one dialect, with only its fields, as that dialect's product compares, reads and writes
 * them.
 */
export interface DefinitionIn extends AnyResourceDefinition {
  readonly dialect: Dialect;
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
  /** Validates each argument on its own; null clears an optional one. */
  readonly schema: (z: Validation) => Zod.ZodRawShape;
}

export function definitionIn(definition: AnyResourceDefinition, dialect: Dialect): DefinitionIn {
  const { arguments: known, outputs, schema } = definition.fields.in(dialect);
  return { ...definition, dialect, arguments: known, outputs, schema };
}

/** The outputs of the class; arguments are outputs too. */
export function outputNames(definition: AnyResourceDefinition): readonly string[] {
  return [...Object.keys(definition.arguments), ...Object.keys(definition.outputs)];
}

export interface ResourceClass {
  readonly definition: AnyResourceDefinition;
  /** Missing if objects cannot be read by their IDs. */
  readonly get?: unknown;
}

const isResourceClass = (exported: unknown): exported is ResourceClass =>
  typeof exported === "function" && "definition" in exported;

/** By type, including classes in namespaces: exporting a class registers it. */
export function collectClasses(module: object): ReadonlyMap<string, ResourceClass> {
  const found = new Map<string, ResourceClass>();
  for (const exported of Object.values(module) as unknown[]) {
    if (isResourceClass(exported)) {
      found.set(exported.definition.type, exported);
    } else if (isObject(exported)) {
      for (const [type, resourceClass] of collectClasses(exported)) {
        found.set(type, resourceClass);
      }
    }
  }
  return found;
}

/** The arguments that the property paths of an engine option begin with; `*` means all of them. */
export function argumentsAt(paths: readonly string[], { arguments: known }: AnyResourceDefinition): string[] {
  return paths.flatMap((path) => (rootOf(path) === "*" ? Object.keys(known) : [rootOf(path)]));
}

/** @param path such as `url`, `triggers[0]` or, as the engine writes it, `["url"]` */
export function rootOf(path: string): string {
  const [, quoted, plain = ""] = /^\["((?:[^"\\]|\\.)*)"\]|^\[?([^.[\]]*)/.exec(path) ?? [];
  return quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
}

/** The order of a replacement, according to the definition. */
export function deletedFirst({ deleteBeforeReplace }: AnyResourceDefinition, values: () => JsonObject) {
  return typeof deleteBeforeReplace === "function" ? deleteBeforeReplace(values()) : deleteBeforeReplace;
}

/** The name of a class after `trivium.` in a program: `secrets.identity.EntityAlias`. */
export function className({ type }: Pick<AnyResourceDefinition, "type">): string {
  return type.replace(/[/:]/g, ".");
}

export function shortName({ type }: AnyResourceDefinition): string {
  return type.slice(type.indexOf(":") + 1);
}
