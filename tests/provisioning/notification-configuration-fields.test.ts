import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../sdk/base/settings";
import {
  notificationConfigurationDefinition,
  notificationKind,
} from "../../sdk/provisioning/notification-configuration";
import { checkArguments } from "../../sdk/resource/lifecycle/check";
import type { Properties } from "../support/provider-process";

const type = "notification-configurations";
const attributes = { name: "deployments", enabled: true, "destination-type": "generic" };
const users = [{ id: "user-1", type: "users" }];

function read(relationships: object, more: object = {}, dialect: Dialect = "documented"): Properties {
  const shape = notificationKind.shape(z, dialect);
  const { state } = shape.parse({
    ...{ type, id: "nc-1", relationships },
    attributes: { ...attributes, ...more },
  });
  return state;
}

describe("notification configurations on the wire", () => {
  const email = { "destination-type": "email" };
  const noLists = { triggers: [], deliveryResponses: [] };
  const subscribable = (id: string, type: string): object => ({ subscribable: { data: { id, type } } });
  const relationships: readonly [string, object, object, Properties][] = [
    ["users as a bare list", { users }, email, { userIds: ["user-1"], url: null }],
    ["users as a list in data", { users: { data: users } }, email, { userIds: ["user-1"], url: null }],
    ["no users, although it may have some", {}, email, { url: null }],
    ["no users, because it never has any", {}, {}, { userIds: [] }],
    ["a workspace", subscribable("ws-1", "workspaces"), {}, { userIds: [], workspaceId: "ws-1" }],
    ["a project instead of a workspace", subscribable("prj-1", "projects"), {}, { userIds: [] }],
    ["null for lists", {}, { triggers: null, "delivery-responses": null }, { ...noLists, userIds: [] }],
    ["a token, which is not read, and a URL of null", {}, { token: "canary", url: null }, { userIds: [] }],
  ];
  for (const [what, given, more, expected] of relationships) {
    it(`the response of a notification configuration may have ${what}`, () => {
      const { name, enabled, destinationType, ...rest } = read(given, more);
      assert.deepEqual(JSON.parse(JSON.stringify(rest)), expected);
    });
  }

  const url = "https://hooks.example.com";
  const response = {
    ...{ url, body: "noted", code: "200", "sent-at": "2026-01-02 03:04:05 UTC" },
    ...{ headers: { "content-type": ["text/plain"] }, successful: "true" },
  };
  const responses: readonly [string, object, object][] = [
    ["as documented", {}, {}],
    ["that failed", { successful: "false", code: "500" }, { successful: false, code: "500" }],
    ["with a boolean", { successful: false }, { successful: false }],
    ["with a number", { code: 200 }, {}],
    ["without a body", { body: null }, { body: "" }],
    ["without headers", { headers: null }, { headers: {} }],
    ["with headers as texts", { headers: { "content-type": "text/plain" } }, {}],
  ];
  for (const [what, change, expected] of responses) {
    it(`a notification configuration may have a response ${what}`, () => {
      const { "sent-at": sentAt, ...others } = response;
      assert.deepEqual(read({}, { "delivery-responses": [{ ...response, ...change }] }).deliveryResponses, [
        { ...others, sentAt, successful: true, ...expected },
      ]);
    });
  }

  it("notification configurations name their destination types as the dialect does", () => {
    const named = (word: string, dialect: Dialect): unknown =>
      read({}, { "destination-type": word }, dialect).destinationType;
    const words = ["generic", "email", "slack", "microsoft-teams", "webhook"];
    const found = words.map((word) => named(word, "hashicorp"));
    assert.deepEqual(found, ["generic", "email", "chat-a", "chat-b", "webhook"]);
    assert.equal(named("chat-b", "documented"), "chat-b");
  });

  const desired: Parameters<typeof notificationKind.document>[0] = {
    ...{ workspaceId: "ws-1", name: "deployments", destinationType: "chat-a", enabled: false, token: "key" },
    ...{ triggers: ["run:created", "run:created"], userIds: ["user-1", "user-1"], adopt: true },
    verification: { timeout: 5 },
  };
  const sent = (...args: [Dialect, ...Parameters<typeof notificationKind.document>[2][]]): unknown =>
    (JSON.parse(JSON.stringify(notificationKind.document(desired, ...args))) as { data: unknown }).data;

  it("notification configurations are sent as the documents say, and as the products take them, without what is not included", () => {
    const words = { ...attributes, "destination-type": "chat-a", enabled: false };
    assert.deepEqual(sent("documented"), {
      type: "notification-configuration",
      attributes: { ...words, token: "key", triggers: ["run:created"] },
      relationships: { users },
    });
    const changed = new Set(["userIds", "destinationType"]);
    assert.deepEqual(sent("hashicorp", { id: "nc-1", changed }), {
      ...{ type, id: "nc-1", attributes: { "destination-type": "slack" } },
      relationships: { users: { data: users } },
    });
  });
});

const url = "https://hooks.example.com/services/canary";

describe("arguments of provisioning.NotificationConfiguration", () => {
  const check = (
    args: Properties,
    dialect: Dialect = "documented",
  ): readonly [problems: readonly string[], warnings: readonly string[]] => {
    const all = { workspaceId: "ws-1", name: "deployments", destinationType: "generic", ...args };
    const { failures, warnings } = checkArguments(notificationConfigurationDefinition, z, dialect, all);
    return [failures.map(({ property, reason }) => `${property} ${reason}`), warnings];
  };
  const problems = (args: Properties, dialect?: Dialect): readonly string[] => check(args, dialect)[0];

  const values: Properties = { url, token: "a key", userIds: ["user-1"] };
  const notEmail = 'url must not be given when destinationType is "email"';
  const notSigned = 'token is only valid for destinationType "generic": others are not signed';
  const noUsers = 'userIds is only valid for destinationType "email"';
  for (const destinationType of ["generic", "email", "chat-a", "chat-b"]) {
    for (let combination = 0; combination < 8; combination++) {
      const given = Object.keys(values).filter((_, index) => (combination & (1 << index)) !== 0);
      const isEmail = destinationType === "email";
      const expected = [
        given.includes("url") === isEmail &&
          (isEmail ? notEmail : `url is required when destinationType is "${destinationType}"`),
        given.includes("token") && destinationType !== "generic" && notSigned,
        given.includes("userIds") && !isEmail && noUsers,
      ].filter((problem) => problem !== false);
      const title = `of ${destinationType} with ${given.join(", ") || "nothing else"}`;
      it(`the arguments of a notification configuration: ${title}: ${expected.length === 0 ? "accepted" : "refused"}`, () => {
        const args = Object.fromEntries(given.map((name) => [name, values[name]]));
        assert.deepEqual(problems({ destinationType, ...args }), expected);
        // What is cleared is not given.
        const cleared = { url: null, token: null, userIds: null };
        assert.deepEqual(problems({ destinationType, ...cleared, ...args }), expected);
      });
    }
  }

  const verification = { interval: 5 };
  const warned: readonly [string, Properties, string][] = [
    ["an empty name", { name: "", url }, "name is empty"],
    ["an empty token", { token: "", url }, "token is empty: notifications are not signed"],
    [
      "an interval without a timeout",
      { verification, url },
      "verification has an interval but no timeout, so nothing is retried",
    ],
    ["an empty user", { userIds: ["u-1", ""], destinationType: "email" }, "userIds has an empty item"],
  ];
  for (const [what, args, warning] of warned) {
    it(`a notification configuration has a warning for ${what}`, () =>
      assert.deepEqual(check(args), [[], [warning]]));
  }

  const [workspaceId, projectId, teamId] = ["ws-1", "prj-1", "team-1"];
  const ofTeam = 'triggers of a team may only have "change_request:created": the service may refuse others';
  const notForOthers = 'emailAddresses is only valid for destinationType "email"';
  const subscribers: readonly [Properties, refused?: string, warning?: string][] = [
    [{}, "workspaceId is required without projectId and teamId"],
    [{ workspaceId }],
    [{ projectId }],
    [{ teamId, triggers: ["change_request:created"] }],
    [{ workspaceId, projectId }, "projectId must not be given together with workspaceId"],
    [{ projectId, teamId }, "teamId must not be given together with projectId"],
    [{ teamId, triggers: ["run:errored"] }, undefined, ofTeam],
    [{ workspaceId, emailAddresses: ["ops@acme.example"] }, notForOthers],
  ];
  for (const [given, refused = [], warning = []] of subscribers) {
    it(`the arguments of a notification configuration name one of a workspace, a project and a team in the hashicorp dialect: ${JSON.stringify(given)}`, () => {
      const args = { workspaceId: undefined as never, url, ...given };
      assert.deepEqual(check(args, "hashicorp"), [[refused].flat(), [warning].flat()]);
    });
  }

  const words = ["generic", "email", "chat-a", "chat-b"];
  const oneOf = (allowed: readonly string[]): string =>
    `destinationType must be one of ${allowed.map((word) => JSON.stringify(word)).join(", ")}`;
  const notUrl = "url must be an HTTP or HTTPS URL";
  const urls = ["hooks.example.com/x", "ftp://hooks.example.com", "https://", "https:///x", " http://x", ""];
  const noPause = "verification.interval must be greater than 0";
  type Row = readonly [args: Properties, documented?: string | RegExp, hashicorp?: string];
  const rows: readonly Row[] = [
    ...urls.map((wrong): Row => [{ url: wrong }, notUrl, notUrl]),
    [{ url, verification: { timeout: 30, interval: "0s" } }, noPause, noPause],
    [{ url, verification: {} }],
    [{ url, verification: { timeout: null, interval: null, triggers: null } }],
    [{ url, destinationType: "chat-a" }],
    [{ url, destinationType: "slack" }, oneOf(words)],
    [{ url, destinationType: "microsoft-teams" }, oneOf(words)],
    [{ url, destinationType: "telegraph" }, oneOf(words), oneOf([...words, "slack", "microsoft-teams"])],
    [{ url, triggers: ["workspace:auto_destroy_reminder"] }, /^triggers\[0\] must be one of "run:created"/],
  ];
  for (const [args, documented, hashicorp] of rows) {
    it(`the arguments of a notification configuration are accepted or refused as in each dialect: ${JSON.stringify(args)}`, () => {
      const [problem, ...more] = problems(args);
      if (documented instanceof RegExp) {
        assert.match(problem ?? "", documented);
      } else {
        assert.equal(problem, documented);
      }
      assert.deepEqual(more, []);
      assert.deepEqual(problems(args, "hashicorp"), [hashicorp ?? []].flat());
    });
  }
});
