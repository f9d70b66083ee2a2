import { resourceDocument } from "../http/json-api";
import type { Validation } from "../base/validation";
import type { JsonObject, JsonValue } from "../base/json";
import type { ProvisioningDialect } from "./dialect";
import { type ObjectOf, resourceKind } from "./kind";

/** The attributes that an update can change, by the names of arguments; their names on the wire. */
function wireNames({ organizationAttributes }: ProvisioningDialect): Readonly<Record<string, string>> {
  return {
    accessBetaTools: "access-beta-tools",
    globalModuleSharing: "global-module-sharing",
    globalProviderSharing: "global-provider-sharing",
    isDisabled: "is-disabled",
    iacBuildWorkerApplyTimeout: organizationAttributes.iacBuildWorkerApplyTimeout[0],
    iacBuildWorkerPlanTimeout: organizationAttributes.iacBuildWorkerPlanTimeout[0],
    workspaceLimit: "workspace-limit",
  };
}

const toOne = (z: Validation) => z.object({ data: z.object({ id: z.string() }).nullish() }).optional();

/**
 * An organization as site administrators see it. Its id is its name.
 *
 * @internal
 */
export const organizationKind = resourceKind("organizations", (z, dialect) =>
  z
    .object({
      id: z.string(),
      attributes: z.looseObject({
        name: z.string().optional(),
        "access-beta-tools": z.boolean().optional(),
        "external-id": z.string().nullish(),
        "is-disabled": z.boolean().optional(),
        "notification-email": z.string().nullish(),
        "global-module-sharing": z.boolean().nullish(),
        "global-provider-sharing": z.boolean().nullish(),
        "sso-enabled": z.boolean().nullish(),
        "workspace-limit": z.number().nullish(),
      }),
      relationships: z.object({
        owners: z.object({ data: z.array(z.object({ id: z.string() })).nullish() }).optional(),
        subscription: toOne(z),
        "feature-set": toOne(z),
      }),
    })
    .transform(({ id, attributes, relationships }) => {
      const renamed = (names: readonly string[]): unknown =>
        names.map((name) => attributes[name]).find((value) => value !== undefined);
      const { iacBuildWorkerApplyTimeout, iacBuildWorkerPlanTimeout, iacWorkerSudoEnabled } =
        dialect.organizationAttributes;
      return {
        id,
        state: {
          name: attributes.name ?? id,
          accessBetaTools: attributes["access-beta-tools"],
          globalModuleSharing: attributes["global-module-sharing"],
          globalProviderSharing: attributes["global-provider-sharing"],
          isDisabled: attributes["is-disabled"],
          iacBuildWorkerApplyTimeout: textOrNull(renamed(iacBuildWorkerApplyTimeout)),
          iacBuildWorkerPlanTimeout: textOrNull(renamed(iacBuildWorkerPlanTimeout)),
          workspaceLimit: attributes["workspace-limit"],
          externalId: attributes["external-id"],
          notificationEmail: attributes["notification-email"],
          ssoEnabled: attributes["sso-enabled"],
          iacWorkerSudoEnabled: booleanOrNothing(renamed(iacWorkerSudoEnabled)),
          ownerIds: relationships.owners?.data?.map((owner) => owner.id),
          subscriptionId: idOf(relationships.subscription),
          featureSetId: idOf(relationships["feature-set"]),
        },
      };
    }),
);

function idOf(relationship: { readonly data?: { readonly id: string } | null | undefined } | undefined) {
  return relationship?.data === null ? null : relationship?.data?.id;
}

function textOrNull(value: unknown): string | null | undefined {
  return typeof value === "string" || value === null || value === undefined ? value : undefined;
}

function booleanOrNothing(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** The arguments that an update can change. */
export function updatableArguments(dialect: ProvisioningDialect): readonly string[] {
  return Object.keys(wireNames(dialect));
}

/** The values of what an update can change, as they were answered. */
export function updatableAttributes(
  state: Readonly<Record<string, unknown>>,
  dialect: ProvisioningDialect,
): JsonObject {
  return Object.fromEntries(
    updatableArguments(dialect)
      .filter((name) => state[name] !== undefined)
      .map((name) => [name, state[name] as JsonValue]),
  );
}

/**
 * The request body that changes attributes.
 *
 * @param values by the names of arguments
 * @param names those to send
 */
export function organizationDocument(
  values: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string>,
  dialect: ProvisioningDialect,
): object {
  const attributes = Object.entries(wireNames(dialect))
    .filter(([name]) => names.has(name))
    .map(([name, wireName]): [string, unknown] => [wireName, values[name]]);
  return resourceDocument({ type: "organizations", attributes: Object.fromEntries(attributes) });
}

/**
 * An organization once it has been read.
 *
 * @internal
 */
export type OrganizationObject = ObjectOf<typeof organizationKind>;
