import type { Dialect } from "../base/settings";

/** Where a notification goes to, as programs name it whatever the dialect. */
export type DestinationType = "generic" | "email" | "chat-a" | "chat-b" | (string & {});

/** The destination types of the documents. */
export type KnownDestinationType = "generic" | "email" | "chat-a" | "chat-b";

/** What a notification tells about. The hashicorp dialect has more of them. */
export type NotificationTrigger =
  | "run:created"
  | "run:planning"
  | "run:needs_attention"
  | "run:applying"
  | "run:completed"
  | "run:errored"
  | "assessment:drifted"
  | "assessment:failed"
  | (string & {});

/** What differs between the documented provisioning service and the products with nearly the same wire. */
export interface ProvisioningDialect {
  /** The longest name that a project may have, in characters. */
  readonly projectNameLength: number;
  /** Whether a project's name may begin or end with a space. */
  readonly projectNameMayEndInSpaces: boolean;
  /** The JSON:API type of a notification configuration in a request; answers always have the plural. */
  readonly notificationConfigurationType: string;
  /** What destination types are called on the wire. */
  readonly destinationTypes: Readonly<Record<KnownDestinationType, string>>;
  /** Whether a relationship in a request stands in `data`, or bare. */
  readonly relationshipsInData: boolean;
  /** The header of a notification that carries its signature, in lower case. */
  readonly signatureHeader: string;
  /** The triggers that there are; `undefined` where the service adds new ones. */
  readonly triggers: readonly string[] | undefined;
  /** The names of an organization's attributes: the first is written, any is understood. */
  readonly organizationAttributes: {
    readonly iacBuildWorkerApplyTimeout: readonly [string, ...string[]];
    readonly iacBuildWorkerPlanTimeout: readonly [string, ...string[]];
    readonly iacWorkerSudoEnabled: readonly [string, ...string[]];
  };
}

/** The triggers of the documents. */
export const documentedTriggers = [
  "run:created",
  "run:planning",
  "run:needs_attention",
  "run:applying",
  "run:completed",
  "run:errored",
  "assessment:drifted",
  "assessment:failed",
] as const satisfies readonly NotificationTrigger[];

/** Both dialects. */
export const provisioningDialects: Readonly<Record<Dialect, ProvisioningDialect>> = {
  documented: {
    projectNameLength: 36,
    projectNameMayEndInSpaces: true,
    notificationConfigurationType: "notification-configuration",
    destinationTypes: { generic: "generic", email: "email", "chat-a": "chat-a", "chat-b": "chat-b" },
    relationshipsInData: false,
    signatureHeader: "x-svc-notification-signature",
    triggers: documentedTriggers,
    organizationAttributes: {
      iacBuildWorkerApplyTimeout: ["iac-build-worker-apply-timeout"],
      iacBuildWorkerPlanTimeout: ["iac-build-worker-plan-timeout"],
      iacWorkerSudoEnabled: ["iac-worker-sudo-enabled"],
    },
  },
  hashicorp: {
    projectNameLength: 40,
    projectNameMayEndInSpaces: false,
    notificationConfigurationType: "notification-configurations",
    destinationTypes: { generic: "generic", email: "email", "chat-a": "slack", "chat-b": "microsoft-teams" },
    relationshipsInData: true,
    signatureHeader: "x-tfe-notification-signature",
    triggers: undefined,
    organizationAttributes: {
      iacBuildWorkerApplyTimeout: ["terraform-build-worker-apply-timeout", "apply-timeout"],
      iacBuildWorkerPlanTimeout: ["terraform-build-worker-plan-timeout", "plan-timeout"],
      iacWorkerSudoEnabled: ["terraform-worker-sudo-enabled"],
    },
  },
};
