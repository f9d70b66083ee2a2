import type * as Zod from "zod";
import type { JsonObject, JsonValue } from "../base/json";
import type { Dialect } from "../base/settings";
import type {
  Current,
  Desired,
  Field,
  FieldOptions,
  Fields,
  InDialect,
  PresenceOf,
  Validation,
} from "../resource/fields/field";
import { builtOnce, field, inDialect } from "../resource/fields/field";
import { provisioningDialects } from "./dialect";
import { nameInPath, nameInResponse, set } from "../resource/fields/kinds";

/** Sent with every POST, PATCH and DELETE, even without a body. */
export const jsonApiMediaType = "application/vnd.api+json";

export interface Identified {
  readonly id: string;
}

export interface ResourceKind<Found = Identified> {
  readonly type: string;
  readonly shape: (z: Validation, dialect: Dialect) => Zod.ZodType<Found>;
}

export const identified = builtOnce((z, type: string) =>
  z.object({ type: z.literal(type), id: nameInResponse(z) }),
);

export function identifiersDocument(type: string, ids: readonly string[]): { readonly data: JsonObject[] } {
  return { data: [...new Set(ids)].map((id) => ({ type, id })) };
}

export interface FoundObject<Rows> {
  readonly id: string;
  readonly state: Current<Rows>;
}

/** Fields with `place: "relationship"` are members of `relationships`, all others of `attributes`. */
export function resourceKind<Rows>(
  type: string,
  fields: Fields<Rows>,
  options: {
    readonly typeSent?: InDialect<string>;
    readonly defaults?: (found: FoundObject<Rows>) => Current<Rows>;
  } = {},
) {
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
    /** @param change for an update: which fields to send, and the id where the document must contain it */
    document(
      desired: Desired<Rows>,
      dialect: Dialect,
      { id, changed }: { readonly id?: string; readonly changed?: ReadonlySet<string> } = {},
    ): object {
      const isSent = changed && ((name: string) => changed.has(name));
      const attributes = fields.request(desired, dialect, isSent);
      const relationships = fields.request(desired, dialect, isSent, "relationship");
      const related = Object.keys(relationships).length === 0 ? undefined : relationships;
      return { data: { type: inDialect(typeSent, dialect) ?? type, id, attributes, relationships: related } };
    },
  };
}

/** Only read: in requests, the path names the related object. */
export function toOne<
  const Options extends FieldOptions<string> & {
    /** Relationships to objects of other types are ignored. */
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

/** By the documentation, a request has the bare list as the relationship, without `data`. */
export function toMany<const Options extends FieldOptions<string[]>>(
  type: string,
  options: Options,
): Field<string[], string[], PresenceOf<Options>> {
  return field<string[], string[], Options>(
    {
      argument: (z) => z.array(z.string()),
      response(z) {
        const list = z.array(z.object({ id: nameInResponse(z) }).transform(({ id }) => id));
        const inData = z.object({ data: list.nullish() }).transform(({ data }) => data);
        return z.union([list, inData]) as Zod.ZodType as Zod.ZodType<string[]>;
      },
      request(ids, dialect): JsonValue {
        const { data } = identifiersDocument(type, ids);
        return provisioningDialects[dialect].wrapsRelationships ? { data } : data;
      },
      canonical: set,
    },
    { place: "relationship", ...options },
  );
}
