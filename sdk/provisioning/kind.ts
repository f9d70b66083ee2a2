import type * as Zod from "zod";
import type { JsonValue } from "../base/json";
import type { Dialect } from "../base/settings";
import { builtOnce, type Validation } from "../base/validation";
import { set } from "../resource/fields/canonical";
import {
  type Current,
  type Desired,
  type Field,
  field,
  type FieldOptions,
  type Fields,
  inDialect,
  type InDialect,
  type PresenceOf,
} from "../resource/fields/field";
import { nameInPath, nameInResponse } from "../resource/fields/schemas";

/** The JSON:API media type; sent with every POST, PATCH and DELETE, even without a body. */
export const jsonApiMediaType = "application/vnd.api+json";

/** An object that has an id. */
export interface Identified {
  readonly id: string;
}

/** One kind of resource object: its JSON:API type, and how an object of that kind is read. */
export interface ResourceKind<Found = Identified> {
  readonly type: string;
  /** Reads a resource object; members that it does not name are ignored. */
  readonly shape: (z: Validation, dialect: Dialect) => Zod.ZodType<Found>;
}

/** What every object of a type has. */
export const identified = builtOnce((z, type: string) =>
  z.object({ type: z.literal(type), id: nameInResponse(z) }),
);

/** A request document with identifiers of one type. */
export function identifiersDocument(type: string, ids: readonly string[]): object {
  return { data: [...new Set(ids)].map((id) => ({ type, id })) };
}

/** An object of a resource's kind once it has been read, by the names of fields. */
export interface FoundObject<Rows> {
  readonly id: string;
  readonly state: Current<Rows>;
}

/** The kind of the objects of a resource. */
export interface FieldsKind<Rows> extends ResourceKind<FoundObject<Rows>> {
  /**
   * The document that creates an object, or changes one.
   *
   * @param change which fields it changes, and of which object where the document has to say so
   */
  document(
    desired: Desired<Rows>,
    dialect: Dialect,
    change?: { readonly id?: string; readonly isSent: (name: string) => boolean },
  ): object;
}

/**
 * States the kind of a resource's objects: rows are members of `attributes`, those with `place: "relationship"` of
 * `relationships`.
 *
 * @param options.typeSent the type in requests, where that is another
 * @param options.unsaid what it means that a response does not say a field
 */
export function resourceKind<Rows>(
  type: string,
  fields: Fields<Rows>,
  options: {
    readonly typeSent?: InDialect<string>;
    readonly defaults?: (found: FoundObject<Rows>) => Current<Rows>;
  } = {},
): FieldsKind<Rows> {
  const { typeSent, defaults = () => ({}) } = options;
  return {
    type,
    shape: builtOnce((z, dialect: Dialect) => {
      const members = (place: "body" | "relationship") =>
        z.preprocess((value) => value ?? {}, fields.responseIn(z, dialect, place));
      return identified(z, type)
        .extend({ attributes: members("body"), relationships: members("relationship") })
        .transform(({ id, attributes, relationships }): FoundObject<Rows> => {
          const state = { ...attributes, ...relationships };
          return { id, state: { ...defaults({ id, state }), ...state } };
        });
    }),
    document(desired, dialect, { id, isSent } = { isSent: () => true }) {
      const attributes = fields.request(desired, dialect, isSent);
      const relationships = fields.request(desired, dialect, isSent, "relationship");
      const related = Object.keys(relationships).length === 0 ? undefined : relationships;
      return { data: { type: inDialect(typeSent, dialect) ?? type, id, attributes, relationships: related } };
    },
  };
}

/**
 * An object as a function returns it.
 *
 * @param defaults the values of members that the service does not return
 */
export function completed<Result extends object>(
  state: Readonly<Record<string, unknown>>,
  defaults: Partial<Result>,
): Result {
  const known = Object.entries(defaults).map(([name, value]) => [name, state[name] ?? value] as const);
  return { ...state, ...Object.fromEntries(known) } as Result;
}

/** The id of the object that a relationship names. It is only read: the path of a request names the object. */
export function toOne<
  const Options extends FieldOptions<string> & {
    /** Objects of another type do not count. */
    readonly type?: string;
  },
>(options: Options): Field<string, string, PresenceOf<Options>> {
  const { type } = options;
  return field(
    {
      argument: nameInPath,
      response(z) {
        const identifier = z.object({ id: nameInResponse(z), type: z.string().optional() });
        const relationship = z.object({ data: "whenNull" in options ? identifier.nullish() : identifier });
        return relationship.transform(({ data }) => {
          const counts = type === undefined || (data?.type ?? type) === type;
          return data === null ? null : counts ? data?.id : undefined;
        }) as Zod.ZodType as Zod.ZodType<string>;
      },
    },
    { place: "relationship", ...options },
  );
}

/** The ids of the objects that a relationship names; order and repetition do not matter. */
export function toMany<
  const Options extends FieldOptions<string[]> & {
    /** A request has the list as the relationship itself, not in its `data`. */
    readonly bare?: InDialect<true>;
  },
>(type: string, options: Options): Field<string[], string[], PresenceOf<Options>> {
  return field<string[], string[], Options>(
    {
      argument: (z) => z.array(z.string()),
      response(z) {
        const list = z.array(z.object({ id: nameInResponse(z) }).transform(({ id }) => id));
        const inData = z.object({ data: list.nullish() }).transform(({ data }) => data);
        return z.union([list, inData]) as Zod.ZodType as Zod.ZodType<string[]>;
      },
      request(ids, dialect): JsonValue {
        const identifiers = [...new Set(ids)].map((id) => ({ type, id }));
        return inDialect(options.bare, dialect) === true ? identifiers : { data: identifiers };
      },
      canonical: set,
    },
    { place: "relationship", ...options },
  );
}
