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

export interface RemoteObject {
  readonly id: string;
  readonly state: RemoteState;
  /** Data for later steps. Stored in plain text, so never a secret. Default: the former value. */
  readonly privateState?: JsonObject;
  /** Shown in the error if the object prevents a creation: `bound to the entity 17`. */
  readonly detail?: string;
  /** Why a creation failed although the object exists: it is kept in state, and the next update sends what differs. */
  readonly failure?: string;
}

/** What the service has before a creation. */
export interface Look<Seen = unknown> {
  /** What the creation would collide with. */
  readonly existing?: RemoteObject | undefined;
  /** What was there: the difference to a later look was created. */
  readonly seen?: Seen;
}

/** What excludes other work while it runs: by a key of the service's, for all classes, or by rules of the class's own. */
export type Turn = string | { run<Result>(work: () => Promise<Result>): Promise<Result> };

export interface Step<Client> extends Caller {
  readonly client: Client;
  /** See {@link RemoteObject.privateState}. */
  readonly privateState: JsonObject;
  /** The managed arguments, cleared ones included; empty during creation. */
  readonly managed: ReadonlySet<string>;
  /** For a read or an update: replaces the private state. */
  readonly remember?: (privateState: JsonObject) => void;
  readonly others: Others;
}

/** What other resources of the stack do with the same object. */
export interface Others {
  /** From the resource that this one replaces, if the definition `inherits`; empty if that has another type. */
  readonly inherited: { readonly privateState: JsonObject; readonly managed: readonly string[] } | undefined;
  /** Whether another resource now manages a part of the object. */
  readonly isElsewhere: (part: string) => boolean;
  /** Records that this resource placed a part of the object. */
  readonly move: (part: string) => void;
  /** Records that the resource is not created because of an existing object that `look` does not find. */
  readonly refuse: (id: string) => void;
}

/** Of an object that no other resource has to do with. */
export const noOthers: Others = {
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
> extends ResourceBehavior<Client, Values, Seen, Table> {
  /** `service[/engine]:Type`. It is in the state of users, so it never changes. */
  readonly type: string;
  readonly service: Service<unknown>;
  /** Of all dialects. */
  readonly arguments: Readonly<Record<string, StatedField>>;
  readonly outputs: Readonly<Record<string, StatedField>>;
  readonly fields: {
    in(dialect: Dialect): Pick<FieldsIn<never>, "arguments" | "outputs" | "schema">;
  };
}

/** How objects are distinguished. */
export interface Identity<Values = JsonObject> {
  /** What the ID is, if objects can be read by their IDs: `the method's id`. */
  readonly idIs?: string;
  /** The arguments that identify the object: no two resources of a program may have the same values. */
  readonly arguments?: readonly string[];
  /** What else, or what instead, only one resource of a program may have. */
  claims?(values: Values, dialect: Dialect): readonly Claim[];
  /** Normalizes an ID that the service accepts in several spellings. Must return an invalid ID unchanged. */
  readonly canonicalId?: (id: string, dialect: Dialect) => string;
  /** A creation manages an existing object, so a replacement has the same ID. */
  readonly managesExisting?: boolean;
  /** Several resources may have the same ID, because it belongs to another object. */
  readonly idIsShared?: boolean;
}

export interface Claim {
  /** The same for all resources that claim the same, also of other classes. */
  readonly key: string;
  /** For the error: `workspaceIds: ws-1`. */
  readonly what: string;
  /** What to do about another claim. Default: to remove one of the two. */
  readonly advice?: string;
  /** Others that share it may claim it too; one that does not share it may not. */
  readonly isShared?: boolean;
}

/** That a lease has ended, or ends too soon, by what state says: then it is replaced. */
export interface Ending {
  /** A sentence without its end: `The token a-1 has expired (2030-01-01T00:00:00.000Z)`. */
  readonly reason: string;
  /** It has ended. Otherwise it will end too soon. */
  readonly isOver: boolean;
  /** The service can say otherwise: a read asks it. */
  readonly mayDiffer: boolean;
}

/** An object, by what state or the service says of it. */
export interface Former {
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly privateState: JsonObject;
}

export interface RotatedSecret {
  readonly argument: string;
  /** Why a replacement is rejected whose program still has the former value. */
  readonly refuses: (former: Former, args: JsonObject) => string | undefined;
}

export interface ResourceBehavior<Client, Values, Seen = unknown, Table extends Rows = Rows> {
  /** Not checked for unknown or invalid arguments. */
  readonly rules?: readonly Rule<Given<Table>>[];
  readonly identity?: Identity<Given<Table>>;
  /**
   * The object and its replacement cannot exist at once; a text warns of what the plan does not show. Default: true if
   * there is a {@link look}.
   */
  readonly deleteBeforeReplace?: boolean | ((values: JsonObject) => string | boolean);
  /** Why a deletion is rejected, on its own or as a part of a replacement. */
  readonly refusesDeletion?: (
    outputs: JsonObject,
    managed: ReadonlySet<string>,
    dialect: Dialect,
  ) => TriviumError | undefined;
  /**
   * Pass on the private state of a resource of the program that is renamed or replaced. Or pass on that state has a
   * resource of another type for the same object.
   */
  readonly inherits?: true | InheritsFrom;
  /** A secret that the service may rotate: then a replacement would delete the only copy of it, and write an obsolete one. */
  readonly rotated?: RotatedSecret;
  /** How `npx pulumi-trivium import-file` finds existing objects. Default: only by their IDs. */
  readonly importedBy?: ImportSource<Client>;
  /**
   * An update replaces or creates the whole object. So it reads the object first, fails if that does not exist, and
   * receives the current values of omitted fields.
   */
  readonly updatesWholeObject?: boolean;
  /** For leases: whether it must be replaced by now. Makes no request, as previews call it too; arguments may be unknown. */
  ending?(outputs: Current<Table>, args: JsonObject, now: number, dialect: Dialect): Ending | undefined;

  /** Updates take turns in this process, and creations with the look before them. Default: they do not. */
  turn?(step: Step<Client>, desired: Values): Turn | undefined;
  /** Several resources write parts of one object: turns include deletions and the other processes of this machine. */
  readonly writesParts?: boolean;
  /** Before a creation. Default: the service rejects what exists. */
  look?(step: Step<Client>, desired: Values): Promise<Look<Seen>>;
  /** What a creation whose response was lost has created. Default: that is not found out. */
  recover?(step: Step<Client>, desired: Values, seen: Seen | undefined): Promise<RemoteObject | undefined>;
  create(step: Step<Client>, desired: Values, seen?: Seen): Promise<RemoteObject>;
  /** @returns `undefined` only if the object is proven not to exist */
  read(step: Step<Client>, id: string, current: Current<Table>): Promise<RemoteState | undefined>;
  /** `changed`: arguments whose desired values the service does not have yet. Default: a change makes no request. */
  update?(
    step: Step<Client>,
    id: string,
    desired: Values,
    changed: Changed<keyof Table & string>,
    current: Current<Table>,
  ): Promise<RemoteState>;
  delete(step: Step<Client>, id: string, current: Current<Table>): Promise<void>;
}

/** Only names of the class can be asked for. */
export interface Changed<Name extends string> extends ReadonlySet<string> {
  has(name: Name): boolean;
}

export interface InheritsFrom {
  readonly type: string;
  /** Of the arguments that identify the object. */
  readonly defaults: Readonly<Record<string, string>>;
  /** The argument that it makes obsolete: a replacement would write it again. */
  readonly obsolete: string;
  /** Why a replacement is rejected until the program has another value. */
  readonly ifObsolete: string;
}

export interface ImportSource<Client> {
  /** The option that names the place, such as an organization or a mount, or several. Classes may share it. */
  readonly option: string | readonly string[];
  ids(client: Client, place: string, option: string): Promise<readonly string[]>;
  /** Fields that follow from the place alone. */
  readonly known?: (place: string, option: string) => RemoteState;
}

export interface Rule<Values = Readonly<Record<string, unknown>>> {
  /** Called only if all of these are known. */
  readonly between: readonly (keyof Values & string)[];
  /** Those of which only the presence counts: the rule also holds for an invalid value. */
  readonly byPresence?: readonly (keyof Values & string)[];
  /** `former`: the program's arguments in state. */
  check(
    values: Values,
    dialect: Dialect,
    former: Values,
  ): BrokenRule<keyof Values & string> | false | undefined;
}

export interface BrokenRule<Name extends string = string> {
  /** The argument that should change. */
  readonly argument: Name;
  /** Never repeats a value, which may be secret. */
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

/** For rules, 0 and false are nothing: the service's default. */
export function notTogether<const Name extends string>(
  argument: Name,
  other: Name,
  why = "",
): RuleAbout<Name> {
  const reason = `must not be given together with ${other}${why}`;
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

/** Where `other` does not exist, the schema of the dialect requires the argument. */
export function requiredWithout<const Name extends string>(argument: Name, other: Name): RuleAbout<Name> {
  const reason = `is required without ${other}`;
  return {
    between: [argument, other],
    byPresence: [argument, other],
    check: ({ [argument]: value, [other]: more }) => !isGiven(value) && !more && { argument, reason },
  };
}

/** Whether a program can omit it: empty, or the service's default. */
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

/** What is known of the resource of this program that has an object: its name, or that it is the same resource. */
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
  return <Seen>(
    type: string,
    behavior: ResourceBehavior<Client, Desired<Table>, Seen, Table>,
  ): ResourceDefinition<Client, Desired<Table>, Seen, Table> => ({
    type,
    service,
    fields,
    arguments: fields.arguments,
    outputs: fields.outputs,
    ...behavior,
  });
}

/** Whether a replacement would write the former value of a secret that the service may rotate. */
export function rewritesSecret(rotated: RotatedSecret, former: Former, args: JsonObject): boolean {
  const { [rotated.argument]: value } = args;
  return isGiven(value) && value === former.outputs[rotated.argument];
}

/** @param former by what state says, or the service */
export function refusedReplacement({ rotated }: AnyResourceDefinition, former: Former, args: JsonObject) {
  return rotated && rewritesSecret(rotated, former, args) ? rotated.refuses(former, args) : undefined;
}

/** In one dialect, with its fields only, as its product compares, reads and writes them. */
export interface DefinitionIn extends AnyResourceDefinition {
  readonly dialect: Dialect;
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
  /** Validates each argument by itself; null clears an optional one. */
  readonly schema: (z: Validation) => Zod.ZodRawShape;
}

export function definitionIn(definition: AnyResourceDefinition, dialect: Dialect): DefinitionIn {
  const { arguments: known, outputs, schema } = definition.fields.in(dialect);
  return { ...definition, dialect, arguments: known, outputs, schema };
}

/** Those of the class: an argument is an output too. */
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

/** The arguments at which property paths of the engine's options begin; `*` is all of them. */
export function argumentsAt(paths: readonly string[], { arguments: known }: AnyResourceDefinition): string[] {
  return paths.flatMap((path) => (rootOf(path) === "*" ? Object.keys(known) : [rootOf(path)]));
}

/** @param path such as `url`, `triggers[0]` or, as the engine writes it, `["url"]` */
export function rootOf(path: string): string {
  const [, quoted, plain = ""] = /^\["((?:[^"\\]|\\.)*)"\]|^\[?([^.[\]]*)/.exec(path) ?? [];
  return quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
}

/** What the definition says of the order of a replacement. */
export function deletedFirst({ deleteBeforeReplace }: AnyResourceDefinition, values: () => JsonObject) {
  return typeof deleteBeforeReplace === "function" ? deleteBeforeReplace(values()) : deleteBeforeReplace;
}

/** As a program writes it after `trivium.`: `secrets.identity.EntityAlias`. */
export function className({ type }: Pick<AnyResourceDefinition, "type">): string {
  return type.replace(/[/:]/g, ".");
}

export function shortName({ type }: AnyResourceDefinition): string {
  return type.slice(type.indexOf(":") + 1);
}
