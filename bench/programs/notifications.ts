import * as trivium from "pulumi-trivium";

// Notification configurations, as many in each workspace as the service allows.
const workspaces = (process.env.BENCH_WORKSPACES ?? "").split(",");
for (const workspaceId of workspaces) {
  for (let number = 1; number <= 20; number++) {
    new trivium.provisioning.NotificationConfiguration(`${workspaceId}-${number}`, {
      workspaceId,
      name: `notification-${number}`,
      destinationType: "generic",
      url: "https://notifications.example.com/runs",
      // Enabled, the service would ask the receiver.
      enabled: false,
      triggers: ["run:completed", "run:errored"],
    });
  }
}
