import assert from "node:assert/strict";
import type { LifecycleCase, Surroundings } from "../cases/support/case";
import type { World } from "../cases/support/world";
import { describeLifeOf } from "./support/lifecycle";
import { Widget } from "./support/widget";
import { startWidgetService, type WidgetService } from "./support/widget-service";

const token = "canary-token-4f1d2a";
const password = "canary-password-93b1";
const changedPassword = "canary-password-ffe0";
const key = "-----BEGIN KEY-----\r\ncanary-key-7c55\r\n-----END KEY-----\r\n";

let service: WidgetService;

async function prepare(world: World): Promise<Surroundings> {
  service = await startWidgetService();
  return {
    connection: { provisioning: { address: service.address, token } },
    objects: () => [...service.widgets.values()],
    requests: () => service.requests.length,
    async close() {
      await service.close();
      await world.close();
    },
  };
}

const widget: LifecycleCase & { readonly type: string } = {
  type: "provisioning:Widget",
  prepare,
  valid: () => ({
    owner: "team-a",
    label: "first",
    tags: ["web", "api"],
    period: "1h",
    password,
    key,
    onDestroy: "delete",
  }),
  spellings: () => ({
    tags: ["api", "web", "api"],
    period: "60m",
    key: key.replaceAll("\r\n", "\n"),
  }),
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
  vanish: (_surroundings, id) => service.widgets.delete(id),
  canaries: [token, password, changedPassword, "canary-key-7c55", "canary-key-0d18"],
};

describeLifeOf(widget, {
  resourceClass: Widget,
  // The framework does not know of dialects.
  dialects: ["documented"],
  finally: {
    "has deleted as many objects as it made": () => {
      assert.equal(service.requests.filter((request) => request.startsWith("DELETE")).length, 3);
    },
  },
});
