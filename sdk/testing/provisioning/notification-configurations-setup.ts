import type { EmulatorClock } from "../clock";
import { newIdentifier } from "../identifiers";
import type { ProvisioningDialect } from "./dialect";
import { runBodies, workspaceEventBodies, type RunDescription } from "./notification-body";
import type {
  NotificationConfigurationRecord,
  NotificationConfigurationSettings,
  NotificationDestinationType,
} from "./notification-configuration-record";
import { deliver, type NotificationDelivery } from "./notification-delivery";
import { inServiceOrder } from "./notification-triggers";
import type { Receivers } from "./receivers";
import type { Records } from "./records";

/** A configuration that exists without having been verified. */
export interface NewNotificationConfiguration extends Partial<NotificationConfigurationSettings> {
  /** Id of an existing workspace. */
  readonly workspace: string;
  readonly name: string;
  /** Default `generic`. */
  readonly destinationType?: NotificationDestinationType;
}

/** What happens to a configuration behind a program's back. */
export type NotificationConfigurationChange = Partial<
  NotificationConfigurationSettings & Pick<NotificationConfigurationRecord, "deliveryResponses">
>;

/** A notification about a run, or with a body of its own. */
export interface NewNotification extends RunDescription {
  /** Id of an existing workspace. */
  readonly workspace: string;
  /** One that the service has, such as `run:completed`. */
  readonly trigger: string;
  /** What generic receivers get instead of the description of a run: for notifications that are not about runs. */
  readonly body?: unknown;
}

/** Works behind a program's back. Every method throws an Error for what does not exist. */
export interface NotificationConfigurationsSetup {
  /** Without verification; the rules of the interface, such as the largest number, are not applied. */
  addNotificationConfiguration(configuration: NewNotificationConfiguration): NotificationConfigurationRecord;
  /** Without verification; the rules of the interface are not applied. */
  changeNotificationConfiguration(
    id: string,
    change: NotificationConfigurationChange,
  ): NotificationConfigurationRecord;
  removeNotificationConfiguration(id: string): void;
  /**
   * Sends a notification, signed where there is a token, to the receivers of all configurations of the workspace that
   * are enabled and have the trigger. The emulator sends no e-mail: such configurations are left out.
   *
   * @returns what the receivers answered
   */
  sendNotification(notification: NewNotification): Promise<NotificationDelivery[]>;
}

export function createNotificationConfigurationsSetup(
  records: Records,
  clock: EmulatorClock,
  receivers: Receivers,
  dialect: ProvisioningDialect,
): NotificationConfigurationsSetup {
  const now = (): string => new Date(clock.now()).toISOString();
  const save = (configuration: NotificationConfigurationRecord): NotificationConfigurationRecord => {
    const ordered = { ...configuration, triggers: inServiceOrder(configuration.triggers, dialect.triggers) };
    records.setNotificationConfiguration(structuredClone(ordered));
    return ordered;
  };
  return {
    addNotificationConfiguration: ({ workspace, ...settings }) =>
      save({
        id: newIdentifier("nc-"),
        workspaceId: workspace,
        destinationType: "generic",
        enabled: false,
        url: null,
        token: null,
        triggers: [],
        userIds: [],
        deliveryResponses: [],
        createdAt: now(),
        updatedAt: now(),
        ...settings,
      }),
    changeNotificationConfiguration: (id, change) =>
      save({ ...records.notificationConfiguration(id), ...change, updatedAt: now() }),
    removeNotificationConfiguration(id) {
      records.removeNotificationConfiguration(id);
    },
    async sendNotification({ workspace, trigger, body, ...run }) {
      if (!dialect.triggers.includes(trigger)) {
        const known = dialect.triggers.join(", ");
        throw new Error(`The service has no trigger ${JSON.stringify(trigger)}; it has ${known}.`);
      }
      const ofRun = trigger.startsWith("run:") || dialect.otherNotifications === "as of runs";
      const bodies = ofRun ? runBodies : workspaceEventBodies;
      const bodyFor = bodies(records.workspace(workspace), trigger, run, now());
      const deliveries = records
        .notificationConfigurationsOf(workspace)
        .filter(({ enabled, triggers }) => enabled && triggers.includes(trigger))
        .flatMap((target) => {
          const own = body !== undefined && target.destinationType === "generic";
          return target.url === null
            ? []
            : [deliver(target, target.url, own ? body : bodyFor(target), receivers, dialect)];
        });
      return Promise.all(deliveries);
    },
  };
}
