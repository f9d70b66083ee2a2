import assert from "node:assert/strict";
import { provisioning } from "pulumi-trivium";
import { notificationConfiguration, signingKey } from "../../cases/provisioning/notification-configuration";
import { describeLifecycle } from "../support/lifecycle";

describeLifecycle(notificationConfiguration, {
  finally: {
    "has had its receiver verified with the right signature each time": ({ receiver }) => {
      const requests = receiver.requests.filter(({ path }) => !path.includes("changed"));
      assert.ok(requests.length > 0);
      for (const { body, headers } of requests) {
        const signature = Object.entries(headers).find(([name]) => name.endsWith("-notification-signature"));
        const [, value] = signature ?? assert.fail("the notification was not signed");
        const { kind } = provisioning.webhook.parse(body, { signature: value, token: signingKey });
        assert.equal(kind, "verification");
      }
    },
  },
});
