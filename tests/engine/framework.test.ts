import assert from "node:assert/strict";
import { describeLifecycle, type Surroundings } from "./support/lifecycle";
import { Widget } from "./support/widget";
import { startWidgetService, type WidgetService } from "./support/widget-service";

const token = "canary-token-4f1d2a";
const password = "canary-password-93b1";
const changedPassword = "canary-password-ffe0";
const key = "-----BEGIN KEY-----\r\ncanary-key-7c55\r\n-----END KEY-----\r\n";

let service: WidgetService;

async function prepare(): Promise<Surroundings> {
  service = await startWidgetService();
  return {
    configuration: {
      "trivium:provisioningAddress": service.address,
      "trivium:provisioningToken": { secret: token },
    },
    objects: () => [...service.widgets.values()],
    requests: () => service.requests.length,
    close: service.close,
  };
}

describeLifecycle({
  className: "test.Widget",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:Widget",
  prepare,
  declare: (name, args, options) => new Widget(name, args, options),
  valid: () => ({
    owner: "team-a",
    label: "first",
    tags: ["web", "api"],
    period: "1h",
    password,
    key,
    onDestroy: "delete",
  }),
  spellings: {
    tags: ["api", "web", "api"],
    period: "60m",
    key: key.replaceAll("\r\n", "\n"),
  },
  changes: [
    { argument: "label", to: "second" },
    { argument: "tags", to: ["web"] },
    { argument: "period", to: 7200 },
    { argument: "password", to: changedPassword },
    { argument: "key", to: "-----BEGIN KEY-----\ncanary-key-0d18\n-----END KEY-----" },
    { argument: "onDestroy", to: "retain" },
    { argument: "onDestroy", to: "delete" },
    { argument: "owner", to: "team-b", replaces: true },
  ],
  cleared: ["label", "tags", "period", "password"],
  drift: {
    argument: "label",
    cause: (_surroundings, id) => service.widgets.set(id, { ...service.widgets.get(id), label: "by hand" }),
  },
  adopt: true,
  vanish: (_surroundings, id) => service.widgets.delete(id),
  canaries: [token, password, changedPassword, "canary-key-7c55", "canary-key-0d18"],
});

describe("test.Widget in its service", () => {
  it("is what the program last said", () => {
    assert.equal(service.requests.filter((request) => request.startsWith("DELETE")).length, 2);
  });
});
