import type { EmulatorDialect } from "../dialect";
import type { NotificationDestinationType } from "./records";

/** The differences between the documented service and the products. */
export interface ProvisioningDialect {
  /** The product; the documented service does not say which, and has no endpoints to ask. */
  readonly product: ProvisioningProduct | undefined;
  /** The longest name of a project, in characters. */
  readonly projectNameLimit: number;
  /** Which characters it may have: the products take ASCII only, and no space at the ends. */
  readonly projectNames: "as documented" | "as the products";
  /**
   * Whether a new project is shown with all permissions of the caller, or with the one that the documentation
   * promises.
   */
  readonly creationShowsAllPermissions: boolean;
  /**
   * Attributes of resources that the documentation does not know, and permissions on projects. They never
   * change.
   */
  readonly furtherAttributes: {
    readonly project: Readonly<Record<string, unknown>>;
    readonly projectPermissions: Readonly<Record<string, boolean>>;
    readonly notificationConfiguration: Readonly<Record<string, unknown>>;
  };
  /** Members of bodies and parameters of queries that the service does not know. */
  readonly unknownMembers: "refused" | "ignored";
  /** What becomes of null as a limit of an organization: the documents have text and numbers. */
  readonly nullLimits: "refused" | "taken";
  /** Statuses of refusals that are not explained. */
  readonly unexplained: readonly number[];
  /** The form of to-many relationships in requests and responses: bare, in `data`, or, in requests, both. */
  readonly relationships: { readonly read: "either" | "data"; readonly shown: "bare" | "data" };
  /** What destination types are called on the wire. */
  readonly destinationTypes: Readonly<Record<NotificationDestinationType, string>>;
  /** The type of a notification configuration in requests; responses have the plural. */
  readonly notificationTypes: readonly string[];
  /** What can fire a notification, in the order of the service. */
  readonly triggers: readonly string[];
  /** `payload_version` of notifications that are not about a run. */
  readonly otherPayloadVersion: number | string;
  /** The header that carries the signature of a notification. */
  readonly signatureHeader: string;
  /** The time at which a verification request was sent, as the interface shows it. */
  readonly sentAt: (time: Date) => string;
  /** The names of an organization's attributes: each is understood and shown, the last one sent counts. */
  readonly organizationAttributes: {
    readonly applyTimeout: readonly string[];
    readonly planTimeout: readonly string[];
    readonly sudoEnabled: readonly string[];
  };
}

/** A product, as it tells of itself. */
export interface ProvisioningProduct {
  /** Sent with every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many requests it takes from one token in a second. */
  readonly requestsPerSecond: number;
}

const runTriggers = [
  "run:created",
  "run:planning",
  "run:needs_attention",
  "run:applying",
  "run:completed",
  "run:errored",
] as const;

/** Both dialects. */
export const provisioningDialects: Readonly<Record<EmulatorDialect, ProvisioningDialect>> = {
  documented: {
    product: undefined,
    projectNameLimit: 36,
    projectNames: "as documented",
    creationShowsAllPermissions: false,
    furtherAttributes: { project: {}, projectPermissions: {}, notificationConfiguration: {} },
    unknownMembers: "refused",
    nullLimits: "refused",
    unexplained: [],
    relationships: { read: "either", shown: "bare" },
    destinationTypes: { generic: "generic", email: "email", "chat-a": "chat-a", "chat-b": "chat-b" },
    notificationTypes: ["notification-configuration"],
    triggers: [...runTriggers, "assessment:drifted", "assessment:failed"],
    otherPayloadVersion: 1,
    signatureHeader: "X-Svc-Notification-Signature",
    sentAt: (time) => time.toISOString().replace("T", " ").replace(/\..*$/, " UTC"),
    organizationAttributes: {
      applyTimeout: ["iac-build-worker-apply-timeout"],
      planTimeout: ["iac-build-worker-plan-timeout"],
      sudoEnabled: ["iac-worker-sudo-enabled"],
    },
  },
  hashicorp: {
    product: {
      headers: {
        "TFP-API-Version": "2.6",
        "TFP-AppName": "Terraform Enterprise",
        "X-TFE-Version": "v202507-1",
      },
      requestsPerSecond: 30,
    },
    projectNameLimit: 40,
    projectNames: "as the products",
    creationShowsAllPermissions: true,
    furtherAttributes: {
      project: {
        description: null,
        "auto-destroy-activity-duration": null,
        "default-execution-mode": "remote",
        "setting-overwrites": { "default-execution-mode": false },
        "is-unified": false,
      },
      projectPermissions: { "can-read": true, "can-read-teams": true },
      notificationConfiguration: { "email-addresses": [], "external-email-addresses": [] },
    },
    unknownMembers: "ignored",
    nullLimits: "taken",
    unexplained: [401, 404],
    relationships: { read: "data", shown: "data" },
    destinationTypes: { generic: "generic", email: "email", "chat-a": "slack", "chat-b": "microsoft-teams" },
    notificationTypes: ["notification-configuration", "notification-configurations"],
    triggers: [
      ...runTriggers,
      "assessment:drifted",
      "assessment:check_failure",
      "assessment:failed",
      "workspace:auto_destroy_reminder",
      "workspace:auto_destroy_run_results",
    ],
    otherPayloadVersion: "2",
    signatureHeader: "X-TFE-Notification-Signature",
    sentAt: (time) => time.toISOString().replace(/\..*$/, "+00:00"),
    organizationAttributes: {
      applyTimeout: ["terraform-build-worker-apply-timeout", "apply-timeout"],
      planTimeout: ["terraform-build-worker-plan-timeout", "plan-timeout"],
      sudoEnabled: ["terraform-worker-sudo-enabled"],
    },
  },
};
