import * as pulumi from "@pulumi/pulumi";
import { provisioning } from "pulumi-trivium";

/** Where a team receives notifications about runs in its workspaces. */
export interface LandingZoneNotifications {
  /** The team's receiver. Kept secret. */
  url: pulumi.Input<string>;
  /** The key that notifications are signed with. Kept secret. */
  signingKey: pulumi.Input<string>;
  /**
   * What to notify about, such as `run:completed`.
   *
   * @default completed and failed runs
   */
  triggers?: pulumi.Input<pulumi.Input<provisioning.NotificationTrigger>[]>;
  /**
   * How long to wait for a receiver that does not respond yet, such as `"1m"`.
   *
   * @default "30s"
   */
  waitForReceiver?: pulumi.Input<string>;
}

/** The arguments of a {@link LandingZone}. */
export interface LandingZoneArgs {
  /** The organization in which the team works. A change replaces the project. */
  organization: pulumi.Input<string>;
  /**
   * The name of the team's project.
   *
   * @default the name of the component
   */
  projectName?: pulumi.Input<string>;
  /**
   * The IDs of the team's workspaces, by short names. The keys are resource names: adding or removing one does not
   * change the others, and renaming one replaces its notification configuration.
   *
   * @default none
   */
  workspaces?: Readonly<Record<string, pulumi.Input<string>>>;
  /**
   * The ID of the project to which workspaces move when they leave the team. Without it, they stay in the team's
   * project, which then cannot be deleted.
   */
  fallbackProjectId?: pulumi.Input<string>;
  /**
   * Notifies the team about the runs in every workspace.
   *
   * @default no notifications
   */
  notifications?: LandingZoneNotifications;
}

const defaultTriggers: provisioning.NotificationTrigger[] = ["run:completed", "run:errored"];

/**
 * A team's project, its workspaces, and notifications about their runs.
 *
 * ```typescript
 * const payments = new LandingZone("payments", {
 *   organization: "acme",
 *   workspaces: { web: "ws-4jYzgpqCuGAG3mCt" },
 *   notifications: {
 *     url: config.requireSecret("receiverUrl"),
 *     signingKey: config.requireSecret("signingKey"),
 *   },
 * });
 * ```
 */
export class LandingZone extends pulumi.ComponentResource {
  /** The id of the team's project. */
  readonly projectId: pulumi.Output<string>;
  /** The name of the project. */
  readonly projectName: pulumi.Output<string>;
  /** The IDs of the notification configurations, by the names of their workspaces. */
  readonly notificationIds: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: LandingZoneArgs, options?: pulumi.ComponentResourceOptions) {
    super(
      "acme:platform:LandingZone",
      name,
      {},
      // The name of the type before 1.0, so that older stacks keep their resources.
      pulumi.mergeOptions(options, { aliases: [{ type: "acme:platform:TeamProject" }] }),
    );
    const { organization, projectName = name, workspaces = {}, fallbackProjectId, notifications } = args;
    const project = new provisioning.Project(name, { organization, name: projectName }, { parent: this });
    if (Object.keys(workspaces).length > 0) {
      new provisioning.ProjectWorkspaces(
        name,
        { projectId: project.id, workspaceIds: Object.values(workspaces), fallbackProjectId },
        { parent: this },
      );
    }
    this.projectId = project.id;
    this.projectName = project.name;
    this.notificationIds = pulumi.output(
      notifications === undefined ? {} : this.notifyAboutRuns(name, workspaces, notifications),
    );
    this.registerOutputs({
      projectId: this.projectId,
      projectName: this.projectName,
      notificationIds: this.notificationIds,
    });
  }

  private notifyAboutRuns(
    name: string,
    workspaces: Readonly<Record<string, pulumi.Input<string>>>,
    notifications: LandingZoneNotifications,
  ): Record<string, pulumi.Output<string>> {
    const { url, signingKey, triggers = defaultTriggers, waitForReceiver = "30s" } = notifications;
    return Object.fromEntries(
      Object.entries(workspaces).map(([workspace, workspaceId]) => {
        const { id } = new provisioning.NotificationConfiguration(
          `${name}-${workspace}`,
          {
            workspaceId,
            name: `${name}-${workspace}`,
            destinationType: "generic",
            enabled: true,
            url,
            token: signingKey,
            triggers,
            verification: { timeout: waitForReceiver },
          },
          { parent: this },
        );
        return [workspace, id];
      }),
    );
  }
}
