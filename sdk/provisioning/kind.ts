import type * as pulumi from "@pulumi/pulumi";
import type * as Zod from "zod";
import { isObject, type JsonObject, type JsonValue } from "../base/json";
import type { Dialect } from "../base/settings";
import { builtOnce } from "../base/schema";
import {
  type Current,
  type Desired,
  type Exactly,
  type FieldOptions,
  type Fields,
  type Kind,
  type PresenceOf,
  rowOf,
  type Shown,
  type Validation,
} from "../resource/fields/field";
import { nameInPath, nameInResponse, set } from "../resource/fields/kinds";
import type { Row, Rows } from "../resource/fields/rows";
import { provisioningDialects } from "./dialect";

/** Sent with every POST, PATCH and DELETE, even without a body. */
/** What else a 404 can mean. */
export const orNoAccess = ", or the token has no access to it";

export const jsonApiMediaType = "application/vnd.api+json";

/** An error document of JSON:API. */
export function saysAbsence(body: unknown): boolean {
  const errors: unknown[] = isObject(body) && Array.isArray(body.errors) ? body.errors : [];
  return (
    errors.length > 0 && errors.every((error) => isObject(error) && ("status" in error || "title" in error))
  );
}

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

export interface FoundObject<Table extends Rows> {
  readonly id: string;
  readonly state: Current<Table>;
}

/** Fields with `place: "relationship"` are members of `relationships`, all others of `attributes`. */
export function resourceKind<Table extends Rows>(
  type: string,
  fields: Fields<Table>,
  options: {
    /** Converts an object to the form of others. */
    readonly prepared?: (z: Validation, dialect: Dialect) => Zod.ZodType;
    readonly defaults?: (found: FoundObject<Table>) => Current<Table>;
  } = {},
) {
  const { prepared, defaults = () => ({}) } = options;
  return {
    type,
    shape: builtOnce((z, dialect: Dialect) => {
      const { response, relationships: related } = fields.in(dialect);
      const members = (shape: Zod.ZodType<Current<Table>>) => z.preprocess((value) => value ?? {}, shape);
      const object = identified(z, type)
        .extend({ attributes: members(response(z)), relationships: members(related(z)) })
        .transform(({ id, attributes, relationships }): FoundObject<Table> => {
          const state = { ...attributes, ...relationships };
          return { id, state: { ...defaults({ id, state }), ...state } };
        });
      const shape = object as Zod.ZodType<FoundObject<Table>>;
      return prepared === undefined ? shape : prepared(z, dialect).pipe(shape);
    }),
    /** @param change for an update: which fields to send, and the ID if the document must contain it */
    document(
      desired: Desired<Table>,
      dialect: Dialect,
      { id, changed }: { readonly id?: string; readonly changed?: ReadonlySet<string> } = {},
    ) {
      const isSent = changed && ((name: string) => changed.has(name));
      const own = fields.in(dialect);
      const attributes = own.request(desired, isSent);
      const relationships = own.request(desired, isSent, "relationship");
      const related = Object.keys(relationships).length === 0 ? undefined : relationships;
      return { data: { type, id, attributes, relationships: related } };
    },
  };
}

/** Only in responses: in requests, the path names the related object. */
export function toOne<const Options extends FieldOptions<string>>(
  options: Exactly<Options, FieldOptions<string>>,
): Row<string, Shown<string, Options>, PresenceOf<Options>> {
  const isPromised = (options.told ?? "always") === "always" && options.nullable !== true;
  const kind: Kind<string, string> = {
    argument: nameInPath,
    response(z) {
      const identifier = z.object({ id: nameInResponse(z) });
      const relationship = z.object({ data: isPromised ? identifier : identifier.nullish() });
      return relationship.transform(({ data }) => (data === null ? null : data?.id));
    },
  };
  return rowOf<string, string, Options>(kind, { place: "relationship", ...options });
}

/** According to the documentation, a request contains the bare list as the relationship, without `data`. */
export function toMany<const Options extends FieldOptions<string[]>>(
  type: string,
  options: Exactly<Options, FieldOptions<string[]>>,
): Row<pulumi.Input<string>[], Shown<string[], Options>, PresenceOf<Options>> {
  const kind = (dialect: Dialect): Kind<pulumi.Input<string>[], string[]> => ({
    argument: (z) => z.array(z.string()),
    response(z) {
      const list = z.array(z.object({ id: nameInResponse(z) }).transform(({ id }) => id));
      const inData = z.object({ data: list.nullish() }).transform(({ data }) => data);
      return z.union([list, inData]);
    },
    request(ids): JsonValue {
      const { data } = identifiersDocument(type, ids);
      return provisioningDialects[dialect].wrapsRelationships ? { data } : data;
    },
    canonical: set,
    nothing: [],
  });
  return rowOf<pulumi.Input<string>[], string[], Options>(kind, { place: "relationship", ...options });
}
