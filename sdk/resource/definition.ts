import type * as Zod from "zod";
import type { Caller } from "../base/caller";
import type { Dialect } from "../base/settings";
import type { Validation } from "../base/validation";
import type { Service } from "../connection/service";
import type { ArgumentDefinition, OutputDefinition } from "./argument";
import type { Desired, Fields } from "./field";
import type { JsonObject } from "../base/json";

/** The fields of a remote object as an answer gave them. A missing key is unknown; null is a value. */
export type RemoteState = Readonly<Record<string, unknown>>;

/** A remote object that exists. */
export interface RemoteObject {
  readonly id: string;
  readonly state: RemoteState;
  /** What later steps are to know beside the state. Stored in clear: never a secret. Default: what it was. */
  readonly memory?: JsonObject;
  /** What to know of it before it is taken over, said where it is in the way: `bound to the entity 17`. */
  readonly remark?: string;
  /**
   * Why the creation counts as failed although the object exists: it is kept in state, so that the next run can go
   * on from there, and the reason is shown. An argument that the state says otherwise than the program does counts as
   * not applied: the next run sends it.
   */
  readonly failure?: string;
}

/** What every step of a lifecycle is given. */
export interface Step<Client> extends Caller {
  /** The service's client, whose requests are made for this step. */
  readonly client: Client;
  /** What the definition remembered when the object was made. */
  readonly memory: JsonObject;
  /** The arguments that the program has given, cleared ones included; empty while the object is made. */
  readonly managed: ReadonlySet<string>;
  /** What other resources of the stack have to do with the object. Default: nothing. */
  readonly others?: Others;
}

/** What other resources of the stack have to do with an object. */
export interface Others {
  /**
   * What the definition remembered of the object for a resource that this one replaces, after a rename or a
   * replacement by hand, and the arguments which that one managed. Only for definitions that ask for it.
   */
  readonly inherited: { readonly memory: JsonObject; readonly managed: readonly string[] } | undefined;
  /** Whether a part of the object is another resource's by now, so that it is left where it is. */
  readonly isElsewhere: (part: string) => boolean;
  /** Notes that a part of the object is where this resource wants it. */
  readonly move: (part: string) => void;
  /** Notes that the resource is not created because of an object that exists, where {@link find} cannot find it. */
  readonly refuse: (id: string) => void;
}

/**
 * Everything the library knows of one resource. The generic lifecycle, the registry, the tests and the reference
 * pages all derive from it.
 */
export interface ResourceDefinition<Client, Values>
  extends ResourceFields, ResourceBehaviour<Client, Values> {
  /** `service[/engine]:Type`. Lives in users' state: it never changes. */
  readonly type: string;
  readonly service: Service<unknown>;
}

/** What follows from the fields of a resource. */
export interface ResourceFields {
  /** Validates each argument by itself; optional ones also take null, which clears. */
  readonly schema: (z: Validation, dialect: Dialect) => Zod.ZodRawShape;
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
}

/** What is particular to a resource beside its fields. */
export interface ResourceBehaviour<Client, Values> {
  /** Rules between arguments. Not asked about arguments that are not yet known or already refused. */
  readonly rules?: readonly Rule[];
  /**
   * Brings the ids of one object to one form, where the service knows it under several spellings. Default: an id is
   * its own. Never throws: what is no id is returned as it is.
   */
  readonly canonicalId?: (id: string, dialect: Dialect) => string;
  /**
   * Delete before creating a replacement, because both cannot exist at once. Default: whether {@link find} finds what
   * creation would collide with.
   */
  readonly deleteBeforeReplace?: boolean;
  /** The argument that limits how long an operation waits, as a program writes it; none where nothing is waited for. */
  readonly timeoutArgument?: string;
  /**
   * Creation makes no object of its own: it manages one that is there. So the entry of a replaced resource has the
   * same id as the one before.
   */
  readonly inPlace?: boolean;
  /** Several resources may have the same id, because it is that of something else. */
  readonly shared?: boolean;
  /** The arguments that together name the object: no two resources of a program may have the same. */
  readonly identifiedBy?: readonly string[];
  /** The argument that lists parts which no other resource of the program may list. */
  readonly parts?: string;
  /** What {@link remember}ed of an object is handed on when a resource of the program is renamed or replaced. */
  readonly inherits?: boolean;
  /** How `npx pulumi-trivium import-file` finds the objects that there are. Default: only by their ids. */
  readonly importedBy?: ImportSource<Client>;
  /** An update replaces the whole object, so fields that the program does not name are sent as they are. */
  readonly updatesWholeObject?: boolean;
  /**
   * For what lives for a time: why it has to be made anew by now although the program has not changed. Only looks
   * at what is given, as previews ask too.
   *
   * @param outputs the resource's last known state
   * @param inputs what check answered; in a preview some of it may not be known
   * @param now milliseconds since 1970
   * @returns a sentence for the user; `undefined` while it may stay
   */
  readonly ended?: (outputs: JsonObject, inputs: JsonObject, now: number) => string | undefined;

  /**
   * Keeps apart what must not happen side by side within this process: looking for an object and then making it,
   * as one piece of work, or an update. Default: nothing has to be kept apart.
   */
  inTurn?<Result>(step: Step<Client>, desired: Values, work: () => Promise<Result>): Promise<Result>;
  /**
   * Finds the object that creation would collide with.
   *
   * @param fresh nothing remembered will do: a creation's answer was lost a moment ago
   */
  find?(step: Step<Client>, desired: Values, fresh: boolean): Promise<RemoteObject | undefined>;
  create(step: Step<Client>, desired: Values): Promise<RemoteObject>;
  /** What to remember of an object that comes under management as it is, by an import. Default: nothing. */
  remember?(client: Client, state: RemoteState): JsonObject;
  /** @returns `undefined` only when the object is proven not to exist */
  read(step: Step<Client>, id: string, known: RemoteState): Promise<RemoteState | undefined>;
  /**
   * @param changed the arguments whose values the service does not have yet
   * @param known the state before
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

/** How the objects of a class are found where they are. */
export interface ImportSource<Client> {
  /** The option that names the place: an organization, a workspace, a mount. Classes may share it. */
  readonly option: string;
  /** The ids of the objects that there may be in the place. */
  ids(client: Client, place: string): Promise<readonly string[]>;
  /** What is known of each of them by its place alone. */
  readonly known?: (place: string) => RemoteState;
}

/** A rule between several arguments. */
export interface Rule {
  /** Asked only when all of these are known. */
  readonly between: readonly string[];
  /** @returns what is wrong, if anything */
  readonly check: (
    values: Readonly<Record<string, unknown>>,
    dialect: Dialect,
  ) => BrokenRule | false | undefined;
}

/** What a rule has found. */
export interface BrokenRule {
  /** The argument that should change. */
  readonly argument: string;
  /** Never repeats a value, which may be secret. */
  readonly reason: string;
  /** The documents do not forbid it: it is shown, and refuses nothing. */
  readonly warning?: boolean;
}

/** Whether a replaced object is deleted before the new one is created. */
export function deletesFirst(definition: AnyResourceDefinition): boolean {
  return definition.deleteBeforeReplace ?? definition.find !== undefined;
}

/** A definition whose types do not matter to the code that handles it. */
export type AnyResourceDefinition = ResourceDefinition<never, Record<string, unknown>>;

/** States a resource's definition: its fields, and what is particular to it. */
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
