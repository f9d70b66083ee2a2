import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../sdk/base/settings";
import {
  notificationKind,
  notificationConfigurationDefinition,
} from "../../sdk/provisioning/notification-configuration";
import { checkArguments } from "../../sdk/resource/lifecycle/check";

const attributes = { name: "deployments", enabled: true, "destination-type": "generic" };

function read(relationships: object, more: object = {}, dialect: Dialect = "documented") {
  const shape = notificationKind.shape(z, dialect);
  const type = "notification-configurations";
  return shape.parse({ type, id: "nc-1", attributes: { ...attributes, ...more }, relationships });
}

describe("notification configurations on the wire", () => {
  const users = [{ id: "user-1", type: "users" }];
  const email = { "destination-type": "email" };
  const relationships: readonly [string, object, object, readonly string[] | undefined][] = [
    ["a bare list", { users }, email, ["user-1"]],
    ["a list in data", { users: { data: users } }, email, ["user-1"]],
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
    ["a project instead", { subscribable: { data: { id: "prj-1", type: "projects" } } }, undefined],
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

const url = "https://hooks.example.com/services/canary";

describe("arguments of provisioning.NotificationConfiguration", () => {
  const problems = (args: Record<string, unknown>, dialect: "documented" | "hashicorp" = "documented") =>
    checkArguments(notificationConfigurationDefinition, z, dialect, {
      workspaceId: "ws-1",
      name: "deployments",
      ...args,
    }).failures.map(({ property, reason }) => `${property} ${reason}`);

  // Every destination type with and without each of the arguments that depend on it.
  const allowed = {
    generic: { url: "needed", token: "allowed", userIds: "forbidden" },
    email: { url: "forbidden", token: "forbidden", userIds: "allowed" },
    "chat-a": { url: "needed", token: "forbidden", userIds: "forbidden" },
    "chat-b": { url: "needed", token: "forbidden", userIds: "forbidden" },
  } as const;
  const values = { url, token: "a key", userIds: ["user-1"] };
  const reasons: Record<string, (destinationType: string) => string> = {
    "url missing": (type) => `url is required when destinationType is "${type}"`,
    "url given": () => 'url must not be given when destinationType is "email"',
    "token given": () => 'token is only valid for destinationType "generic": others are not signed',
    "userIds given": () => 'userIds is only valid for destinationType "email"',
  };
  const names = ["url", "token", "userIds"] as const;
  for (const [destinationType, rules] of Object.entries(allowed)) {
    for (let combination = 0; combination < 2 ** names.length; combination++) {
      const given = names.filter((_, index) => (combination & (1 << index)) !== 0);
      const expected = names.flatMap((name) => {
        const isGiven = given.includes(name);
        const wrong = rules[name] === (isGiven ? "forbidden" : "needed");
        return wrong ? [reasons[`${name} ${isGiven ? "given" : "missing"}`]?.(destinationType)] : [];
      });
      const title = `of ${destinationType} with ${given.join(", ") || "nothing else"}`;
      it(`${title}: ${expected.length === 0 ? "accepted" : "refused"}`, () => {
        const args = Object.fromEntries(given.map((name) => [name, values[name]]));
        assert.deepEqual(problems({ destinationType, ...args }), expected);
        // What is cleared is not given.
        const cleared = Object.fromEntries(
          names.filter((name) => !given.includes(name)).map((name) => [name, null]),
        );
        assert.deepEqual(problems({ destinationType, ...args, ...cleared }), expected);
      });
    }
  }

  const warned: readonly [string, Record<string, unknown>, string][] = [
    ["an empty name", { name: "", destinationType: "generic", url }, "name is empty"],
    [
      "an empty token",
      { token: "", destinationType: "generic", url },
      "token is empty: notifications are not signed",
    ],
    ["an empty user", { userIds: ["u-1", ""], destinationType: "email" }, "userIds has an empty item"],
    [
      "an interval without a timeout",
      { verification: { interval: 5 }, destinationType: "generic", url },
      "verification has an interval but no timeout, so nothing is retried",
    ],
  ];
  for (const [what, args, warning] of warned) {
    it(`are warned of: ${what}`, () => {
      const { failures, warnings } = checkArguments(notificationConfigurationDefinition, z, "documented", {
        workspaceId: "ws-1",
        name: "deployments",
        ...args,
      });
      assert.deepEqual([failures, warnings], [[], [warning]]);
    });
  }

  it("are refused without those that have no default", () => {
    const missing = checkArguments(notificationConfigurationDefinition, z, "documented", { url }).failures;
    assert.deepEqual(
      missing.map(({ property, reason }) => `${property} ${reason}`),
      ["workspaceId is required", "name is required", "destinationType is required"],
    );
  });

  it("are refused: no pause between two attempts", () => {
    const verification = { timeout: 30, interval: "0s" };
    assert.deepEqual(problems({ verification, destinationType: "generic", url }), [
      "verification.interval must be greater than 0",
    ]);
  });

  for (const verification of [{}, { interval: "2s" }, { timeout: null, interval: null, triggers: null }]) {
    it(`may have the verification ${JSON.stringify(verification)}`, () => {
      assert.deepEqual(problems({ verification, destinationType: "generic", url }), []);
    });
  }

  for (const wrong of [
    "hooks.example.com/x",
    "ftp://hooks.example.com",
    "https://",
    "https:///x",
    " http://x",
    "",
  ]) {
    it(`are refused: the url ${JSON.stringify(wrong)}`, () => {
      assert.deepEqual(problems({ destinationType: "generic", url: wrong }), [
        "url must be an HTTP or HTTPS URL",
      ]);
    });
  }

  it("name destination types as the documents do, in the hashicorp dialect also as the products do", () => {
    const words = ["generic", "email", "chat-a", "chat-b"];
    const refusal = (allowed: readonly string[]): string[] => [
      `destinationType must be one of ${allowed.map((word) => JSON.stringify(word)).join(", ")}`,
    ];
    for (const [product, documented] of [
      ["slack", "chat-a"],
      ["microsoft-teams", "chat-b"],
    ] as const) {
      assert.deepEqual(problems({ destinationType: documented, url }, "hashicorp"), []);
      assert.deepEqual(problems({ destinationType: product, url }, "hashicorp"), []);
      assert.deepEqual(problems({ destinationType: product, url }), refusal(words));
    }
    const all = [...words, "slack", "microsoft-teams"];
    assert.deepEqual(problems({ destinationType: "telegraph", url }, "hashicorp"), refusal(all));
  });

  it("may name triggers that only the products know, where they are used", () => {
    const args = { destinationType: "generic", url, triggers: ["workspace:auto_destroy_reminder"] };
    assert.deepEqual(problems(args, "hashicorp"), []);
    assert.equal(problems(args).length, 1);
  });
});
