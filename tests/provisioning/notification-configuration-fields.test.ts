import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../sdk/base/settings";
import { notificationKind } from "../../sdk/provisioning/notification-configuration";

const attributes = { name: "deployments", enabled: true, "destination-type": "generic" };

function read(relationships: object, more: object = {}, dialect: Dialect = "documented") {
  const shape = notificationKind.shape(z, dialect);
  return shape.parse({ id: "nc-1", attributes: { ...attributes, ...more }, relationships });
}

describe("notification configurations on the wire", () => {
  const users = [{ id: "user-1", type: "users" }];
  const email = { "destination-type": "email" };
  const relationships: readonly [string, object, object, readonly string[] | undefined][] = [
    ["a bare list", { users }, email, ["user-1"]],
    ["a list in data", { users: { data: users } }, email, ["user-1"]],
    ["an empty list", { users: [] }, email, []],
    ["nothing in data", { users: { data: null } }, email, undefined],
    ["links only", { users: { links: {} } }, email, undefined],
    ["null", { users: null }, email, undefined],
    ["nothing", {}, email, undefined],
    ["nothing, where there are never any", {}, {}, []],
  ];
  for (const [what, given, more, expected] of relationships) {
    it(`may say of their users: ${what}`, () => {
      assert.deepEqual(read(given, more).state.userIds, expected);
    });
  }

  const workspaces: readonly [string, object, string | undefined][] = [
    ["its id", { subscribable: { data: { id: "ws-1", type: "workspaces" } } }, "ws-1"],
    ["its id alone", { subscribable: { data: { id: "ws-1" } } }, "ws-1"],
    ["a project instead", { subscribable: { data: { id: "prj-1", type: "projects" } } }, undefined],
    ["nothing in data", { subscribable: { data: null } }, undefined],
    ["links only", { subscribable: { links: {} } }, undefined],
    ["null", { subscribable: null }, undefined],
    ["nothing", {}, undefined],
  ];
  for (const [what, given, expected] of workspaces) {
    it(`may say of their workspace: ${what}`, () => assert.equal(read(given).state.workspaceId, expected));
  }

  it("may have null or nothing instead of lists and of a URL", () => {
    const nulls = { triggers: null, "delivery-responses": null, url: null };
    const { triggers, deliveryResponses, url } = read({}, nulls).state;
    assert.deepEqual([triggers, deliveryResponses, url], [[], [], undefined]);
    assert.deepEqual(read({}).state.triggers, undefined);
    assert.equal(read({}, email).state.url, null);
  });

  it("never say their token", () => {
    assert.ok(!("token" in read({}, { token: null }).state));
    assert.ok(!JSON.stringify(read({}, { token: "canary" })).includes("canary"));
  });

  const response = {
    url: "https://hooks.example.com",
    body: "noted",
    code: "200",
    headers: { "content-type": ["text/plain"] },
    "sent-at": "2026-01-02 03:04:05 UTC",
    successful: "true",
  };
  const understood = {
    url: "https://hooks.example.com",
    body: "noted",
    code: "200",
    headers: { "content-type": ["text/plain"] },
    sentAt: "2026-01-02 03:04:05 UTC",
    successful: true,
  };
  const responses: readonly [string, object, object][] = [
    ["as documented", {}, {}],
    ["that failed", { successful: "false", code: "500" }, { successful: false, code: "500" }],
    ["with a boolean", { successful: false }, { successful: false }],
    ["with a number", { code: 200 }, {}],
    ["without a body", { body: null }, { body: "" }],
    ["without headers", { headers: null }, { headers: {} }],
    ["with headers as texts", { headers: { "content-type": "text/plain" } }, {}],
    [
      "with another form of time",
      { "sent-at": "2025-06-16T01:42:06+00:00" },
      { sentAt: "2025-06-16T01:42:06+00:00" },
    ],
  ];
  for (const [what, change, expected] of responses) {
    it(`may have a response ${what}`, () => {
      const { state } = read({}, { "delivery-responses": [{ ...response, ...change }] });
      assert.deepEqual(state.deliveryResponses, [{ ...understood, ...expected }]);
    });
  }

  it("name their destination types as the dialect does", () => {
    const types = ["generic", "email", "slack", "microsoft-teams", "webhook"];
    assert.deepEqual(
      types.map((type) => read({}, { "destination-type": type }, "hashicorp").state.destinationType),
      ["generic", "email", "chat-a", "chat-b", "webhook"],
    );
    assert.equal(read({}, { "destination-type": "chat-b" }).state.destinationType, "chat-b");
  });

  const desired: Parameters<typeof notificationKind.document>[0] = {
    workspaceId: "ws-1",
    name: "deployments",
    destinationType: "chat-a",
    enabled: false,
    token: "key",
    triggers: ["run:created", "run:created"],
    userIds: ["user-1", "user-1"],
    verification: { timeout: 5 },
    adopt: true,
  };
  const sent = (isSent: (name: string) => boolean, dialect: Dialect, id?: string): unknown =>
    JSON.parse(
      JSON.stringify(
        notificationKind.document(desired, dialect, { isSent, ...(id === undefined ? {} : { id }) }),
      ),
    );

  it("are sent as the documents say", () => {
    assert.deepEqual(
      sent(() => true, "documented"),
      {
        data: {
          type: "notification-configuration",
          attributes: {
            "destination-type": "chat-a",
            name: "deployments",
            enabled: false,
            token: "key",
            triggers: ["run:created"],
          },
          relationships: { users },
        },
      },
    );
  });

  it("are sent as the products take them", () => {
    assert.deepEqual(
      sent((name) => name === "userIds" || name === "destinationType", "hashicorp", "nc-1"),
      {
        data: {
          type: "notification-configurations",
          id: "nc-1",
          attributes: { "destination-type": "slack" },
          relationships: { users: { data: users } },
        },
      },
    );
  });

  it("are sent without what is not included", () => {
    assert.deepEqual(
      sent(() => false, "documented", "nc-1"),
      {
        data: { type: "notification-configuration", id: "nc-1", attributes: {} },
      },
    );
  });
});
