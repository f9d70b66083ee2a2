import type * as Zod from "zod";
import type { Caller } from "../base/caller";
import type { Dialect } from "../base/settings";
import type { Validation } from "../base/validation";
import type { Service } from "../connection/service";
import type { ArgumentDefinition, OutputDefinition } from "./fields/argument";
import type { Desired, Fields } from "./fields/field";
import type { JsonObject } from "../base/json";

/** The fields of a remote object in a response. A missing key is unknown; null is a value. */
export type RemoteState = Readonly<Record<string, unknown>>;

/** A remote object that exists. */
export interface RemoteObject {
  readonly id: string;
  readonly state: RemoteState;
  /**
   * What later steps need besides the state. Stored in clear text: never a secret. Default: the former value.
   */
  readonly memory?: JsonObject;
  /** What to know before it is adopted, shown if it prevents a creation: `bound to the entity 17`. */
  readonly detail?: string;
  /**
   * Why the creation counts as failed although the object exists: it is kept in state, so that the next
   * update can continue, and the reason is shown. An argument whose state differs from the program counts as
   * not applied: the next update sends it.
   */
  readonly failure?: string;
}

/** The context of every step of a lifecycle. */
export interface Step<Client> extends Caller {
  /** The client of the service, with requests for this step. */
  readonly client: Client;
  /** What the definition stored when the object was created. */
  readonly memory: JsonObject;
  /** The managed arguments, cleared ones included; empty during creation. */
  readonly managed: ReadonlySet<string>;
  /** What other resources of the stack do with the object. Default: nothing. */
  readonly others?: Others;
}

/** What other resources of the stack do with an object. */
export interface Others {
  /**
   * What the definition stored for a resource that this one replaces, after a rename or a replacement by
   * hand, and its managed arguments; nothing but its existence for one of another type. Only for definitions that ask
   * for it.
   */
  readonly inherited: { readonly memory: JsonObject; readonly managed: readonly string[] } | undefined;
  /** Whether another resource now has a part of the object, so that it is not touched. */
  readonly isElsewhere: (part: string) => boolean;
  /** Records that this resource has placed a part of the object. */
  readonly move: (part: string) => void;
  /** Records that the resource is not created because of an existing object that {@link find} cannot find. */
  readonly refuse: (id: string) => void;
}

/**
 * The complete definition of a resource type. The generic lifecycle, the registry, the tests and the
 * reference pages are derived from it.
 */
export interface ResourceDefinition<Client, Values>
  extends ResourceFields, ResourceBehaviour<Client, Values> {
  /** `service[/engine]:Type`. Stored in the state of users: it never changes. */
  readonly type: string;
  readonly service: Service<unknown>;
}

/** What is derived from the fields of a resource. */
export interface ResourceFields {
  /** Validates each argument by itself; optional ones also accept null, which clears. */
  readonly schema: (z: Validation, dialect: Dialect) => Zod.ZodRawShape;
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
}

/** What is specific to a resource besides its fields. */
export interface ResourceBehaviour<Client, Values> {
  /** Rules between arguments. Not checked for unknown or invalid arguments. */
  readonly rules?: readonly Rule[];
  /**
   * Normalizes the id of an object that the service accepts in several spellings. Default: the id itself.
   * Never throws: an invalid id is returned unchanged.
   */
  readonly canonicalId?: (id: string, dialect: Dialect) => string;
  /**
   * Delete before creating a replacement, because both cannot exist at once. Default: whether {@link find}
   * finds what a creation would collide with.
   */
  readonly deleteBeforeReplace?: boolean;
  /** The argument that limits how long an operation waits, as written in a program; none if nothing waits. */
  readonly timeoutArgument?: string;
  /**
   * A creation makes no new object but manages an existing one. So the replacement of a resource has the same
   * id.
   */
  readonly inPlace?: boolean;
  /** Several resources may have the same id, because it belongs to another object. */
  readonly shared?: boolean;
  /** The arguments that together identify the object: no two resources of a program may have the same. */
  readonly identifiedBy?: readonly string[];
  /** The argument that lists parts that no other resource of the program may list. */
  readonly parts?: string;
  /**
   * Pass on what {@link remember} stored when a resource of the program is renamed or replaced; or that state has a
   * resource of another type for the same object. Arguments that the program does not give are as `unsaid`.
   */
  readonly inherits?: true | { readonly type: string; readonly defaults: Readonly<Record<string, string>> };
  /**
   * The service itself refuses to create a second object that {@link find} would find. So an object is created
   * without looking first, unless the program adopts an existing one. Default: the service would change the existing
   * object.
   */
  readonly refusesDuplicates?: boolean;
  /** How `npx pulumi-trivium import-file` finds existing objects. Default: only by their ids. */
  readonly importedBy?: ImportSource<Client>;
  /**
   * An update replaces the whole object, so fields that the program does not name are sent with their current
   * values.
   */
  readonly updatesWholeObject?: boolean;
  /**
   * For leases, which end with the token of a login too: why the object must be replaced although the program has not changed. It only uses its
   * arguments, as previews call it too.
   *
   * @param outputs the last known state of the resource
   * @param inputs the checked inputs; may be unknown in a preview
   * @param now milliseconds since 1970
   * @returns a sentence for the user; `undefined` while it is valid
   */
  readonly ended?: (outputs: JsonObject, inputs: JsonObject, now: number) => string | undefined;

  /**
   * Serializes work within this process: the search for an object and its creation as one piece of work, or
   * an update. Default: no serialization.
   */
  inTurn?<Result>(step: Step<Client>, desired: Values, work: () => Promise<Result>): Promise<Result>;
  /**
   * Finds the object that a creation would collide with.
   *
   * @param fresh cached results must not be used: the response to a creation was just lost
   */
  find?(step: Step<Client>, desired: Values, fresh: boolean): Promise<RemoteObject | undefined>;
  create(step: Step<Client>, desired: Values): Promise<RemoteObject>;
  /** What to store for an object that was imported. Default: nothing. */
  remember?(client: Client, state: RemoteState): JsonObject;
  /** @returns `undefined` only if the object is proven not to exist */
  read(step: Step<Client>, id: string, known: RemoteState): Promise<RemoteState | undefined>;
  /**
   * @param changed the arguments whose values the service does not have yet
   * @param known the current state
   */
  update(
    step: Step<Client>,
    id: string,
    desired: Values,
    changed: ReadonlySet<string>,
    known: RemoteState,
  ): Promise<RemoteState>;
  delete(step: Step<Client>, id: string, known: RemoteState): Promise<void>;
}

/** How to find the existing objects of a class. */
export interface ImportSource<Client> {
  /** The option that names the place: an organization, a workspace, a mount. Classes may share it. */
  readonly option: string;
  /** The ids of the objects in the place. */
  ids(client: Client, place: string): Promise<readonly string[]>;
  /** What the place alone says about each of them. */
  readonly known?: (place: string) => RemoteState;
}

/** A rule between several arguments. */
export interface Rule {
  /** Called only if all of these are known. */
  readonly between: readonly string[];
  /** @returns the problem, if any */
  readonly check: (
    values: Readonly<Record<string, unknown>>,
    dialect: Dialect,
  ) => BrokenRule | false | undefined;
}

/** A violation of a rule. */
export interface BrokenRule {
  /** The argument that should change. */
  readonly argument: string;
  /** Never repeats a value, which may be secret. */
  readonly reason: string;
  /** The documentation does not forbid it: it is shown as a warning. */
  readonly warning?: boolean;
}

/** Whether a replaced object is deleted before the new one is created. */
export function deletesFirst(definition: AnyResourceDefinition): boolean {
  return definition.deleteBeforeReplace ?? definition.find !== undefined;
}

/** Advice if an object already exists: the engine creates a renamed resource before it deletes the former one. */
export const afterRename = "Did you rename the resource? Use its option `aliases`.";

/** A definition, for code that does not depend on its types. */
export type AnyResourceDefinition = ResourceDefinition<never, Record<string, unknown>>;

/** Creates the definition of a resource from its fields and its behaviour. */
export function defineResource<Client, Rows>(service: Service<Client>, fields: Fields<Rows>) {
  return (
    type: string,
    behaviour: ResourceBehaviour<Client, Desired<Rows>>,
  ): ResourceDefinition<Client, Desired<Rows>> => ({
    type,
    service,
    schema: (z, dialect) => fields.schema(z, dialect),
    arguments: fields.arguments,
    outputs: fields.outputs,
    ...behaviour,
  });
}

const views = new WeakMap<AnyResourceDefinition, Map<Dialect, AnyResourceDefinition>>();

/** A definition whose arguments are compared like the service of a dialect does. Built once per dialect. */
export function inDialect(definition: AnyResourceDefinition, dialect: Dialect): AnyResourceDefinition {
  const known = views.get(definition) ?? new Map<Dialect, AnyResourceDefinition>();
  views.set(definition, known);
  const view = known.get(dialect) ?? viewOf(definition, dialect);
  known.set(dialect, view);
  return view;
}

function viewOf(definition: AnyResourceDefinition, dialect: Dialect): AnyResourceDefinition {
  const differing = Object.entries(definition.arguments).flatMap(([name, argument]) => {
    const canonical = argument.canonicalIn?.[dialect];
    return canonical === undefined ? [] : [[name, { ...argument, canonical }] as const];
  });
  return differing.length === 0
    ? definition
    : { ...definition, arguments: { ...definition.arguments, ...Object.fromEntries(differing) } };
}
