import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import { mock } from "node:test";
import fc from "fast-check";
import { notificationConfigurationDefinition } from "../../sdk/provisioning/notification-configuration";
import {
  hashicorpSignatureHeader,
  type NotificationHeaders,
  parse,
  parseUnsigned,
  type RunNotification,
  signatureHeader,
  signatureOf,
  verifySignature,
} from "../../sdk/provisioning/webhook";
import { useReceiver } from "../engine/support/receiver";
import { FakeEngine } from "../support/fake-engine";
import { useEmulator } from "../support/use-emulator";

const token = "a signing key";

/** The signature that OpenSSL makes. */
function openssl(body: string, key: string): string {
  const hexKey = `hexkey:${Buffer.from(key).toString("hex")}`;
  const options = ["dgst", "-sha512", "-mac", "HMAC", "-macopt", hexKey, "-r"];
  const [signature = ""] = execFileSync("openssl", options, { input: body }).toString().split(" ");
  return signature;
}

const sign = (body: string | Uint8Array, key = token): string =>
  crypto.createHmac("sha512", key).update(body).digest("hex");

const keys = fc.string({ unit: "binary", minLength: 1 });

/** The members of JSON with the library's names. */
function renamed(members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]: [string, unknown]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      typeof value === "object" && value !== null && !Array.isArray(value) ? renamed(value) : value,
    ]),
  );
}

describe("provisioning.webhook", () => {
  it("verifySignature accepts what OpenSSL has signed, as text or as bytes", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), keys, (body, key) => {
        const signature = openssl(body, key);
        assert.equal(verifySignature(body, signature, key), true);
        assert.equal(verifySignature(Buffer.from(body), signature, key), true);
      }),
      { numRuns: 20 },
    ));

  const right = sign("body");
  const wrong: readonly [string, unknown][] = [
    ["none", undefined],
    ["null", null],
    ["an empty one", ""],
    ["one upper-case digit", right.replace(/[a-f]/, (digit) => digit.toUpperCase())],
    ["one digit too few", right.slice(1)],
    ["one digit too many", `${right}0`],
    ["another last digit", right.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))],
    ["a signature with a trailing line break", `${right}\n`],
    ["two, joined", `${right}, ${right}`],
    ["a list", [right]],
  ];
  for (const [what, signature] of wrong) {
    it(`verifySignature rejects a signature that is ${what}`, () =>
      assert.equal(verifySignature("body", signature as string | undefined, token), false));
  }

  it("verifySignature accepts nothing without a token, because anybody could have signed it", () =>
    ["", undefined].forEach((missing) =>
      assert.equal(verifySignature("body", sign("body", ""), missing), false),
    ));

  it("verifySignature compares all of the signature in constant time, whatever it is", () => {
    const compare = mock.method(crypto, "timingSafeEqual");
    try {
      const signatures = [right, ...wrong.map(([, signature]) => signature as string | undefined)];
      signatures.forEach((signature) => verifySignature("body", signature, token));
      ["", undefined].forEach((missing) => verifySignature("body", right, missing));
      const lengths = compare.mock.calls.map(({ arguments: both }) => both.map((each) => each.byteLength));
      assert.deepEqual(lengths, Array(signatures.length + 2).fill([64, 64]));
    } finally {
      compare.mock.restore();
    }
  });

  const rows: readonly [string, NotificationHeaders, string | string[] | undefined][] = [
    ["the documented header", { "x-svc-notification-signature": "abc" }, "abc"],
    ["the product's header", { host: "x", "x-tfe-notification-signature": "abc" }, "abc"],
    ["an upper-case name", { "X-TFE-Notification-Signature": "abc" }, "abc"],
    ["the headers of fetch", new Headers({ "X-TFE-Notification-Signature": "abc" }), "abc"],
    ["an empty signature", new Headers({ "X-Svc-Notification-Signature": "" }), ""],
    ["several", { "x-tfe-notification-signature": ["abc", "def"] }, ["abc", "def"]],
    ["a header named get", { get: "x", "x-tfe-notification-signature": "abc" }, "abc"],
    ["none", { "x-signature": "abc", "x-tfe-notification-signature": undefined }, undefined],
    ["none in the headers of fetch", new Headers(), undefined],
    ["a list of one", { "x-tfe-notification-signature": ["abc"] }, "abc"],
    ["the headers of a Map", new Map([["X-TFE-Notification-Signature", "abc"]]), "abc"],
    ["lists in a Map", new Map([["x-svc-notification-signature", ["abc"]]]), "abc"],
    [
      "pairs",
      [
        ["Host", "x"],
        ["X-TFE-Notification-Signature", "abc"],
      ],
      "abc",
    ],
    ["raw headers", ["Host", "x", "X-TFE-Notification-Signature", "abc"], "abc"],
    [
      "raw headers that repeat it",
      ["x-tfe-notification-signature", "a", "X-TFE-Notification-Signature", "b"],
      ["a", "b"],
    ],
    ["none in a Map", new Map([["x-signature", "abc"]]), undefined],
  ];
  it("parse accepts a single signature in a list, and reports if there are several", () => {
    const body = JSON.stringify({ payload_version: 1, run_id: "run-7" });
    const signature = sign(body);
    const headers = (...values: readonly string[]) => ({ "X-TFE-Notification-Signature": values });
    const parsed = (...values: readonly string[]) =>
      parse(body, { signature: signatureOf(headers(...values)), token });
    assert.equal(parsed(signature).kind, "run");
    assert.throws(() => parsed(signature, signature), {
      message: /has 2 signatures, but the service sends at most one/,
    });
    assert.throws(() => parsed(), { message: /is not signed/ });
  });

  for (const [what, headers, expected] of rows) {
    it(`signatureOf finds ${what}`, () => assert.deepEqual(signatureOf(headers), expected));
  }

  describe("parse", () => {
    /** What is read of a body, without the members that it leaves undefined. */
    const parsed = (raw: unknown): unknown => JSON.parse(JSON.stringify(parseUnsigned(JSON.stringify(raw))));
    const place = { workspace_id: "ws-1", workspace_name: "web", organization_name: "acme" };
    const one = { payload_version: 1 };
    const two = { payload_version: "2" };
    const configuration = { notification_configuration_id: "nc-1" };
    /** Members that have their names as values. */
    const texts = (prefix: string, ...names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [prefix + name, name]));
    const common = { ...configuration, ...place };
    const times = ["message", "created_at", "created_by"];
    const run = { ...common, ...texts("run_", "url", "id", ...times) };
    const changeRequest = { ...common, ...texts("change_request_", "url", "subject", ...times) };
    const assessment = {
      ...texts("", "id", "url", "created_at"),
      succeeded: true,
      drifted: true,
      all_checks_succeeded: false,
      resources_drifted: 4,
      resources_undrifted: 50,
      checks_passed: 1,
      checks_failed: 2,
      checks_errored: 3,
      checks_unknown: 5,
    };
    const assessed = {
      ...configuration,
      ...texts("", "notification_configuration_url", "trigger", "message"),
    };
    const destruction = {
      ...place,
      ...texts("", "trigger_type", "auto_destroy_at", "run_external_id", "run_status"),
      run_created_at: null,
      run_create_error_message: "",
    };
    const first = { new_assessment_result: assessment, ...place };
    const second = (prior: unknown) => ({ ...first, prior_assessment_result: prior });
    const bare = { ...configuration, trigger: "workspace:auto_destroy_results" };
    const numbered = { payload_version: 2 };
    type Row = readonly [what: string, kind: string, version: object, members: object, details?: object];
    const kinds: readonly Row[] = [
      ["a run", "run", one, run],
      ["a run with text as version", "run", { payload_version: "1" }, { ...run, run_created_by: null }],
      ["a change request", "changeRequest", one, changeRequest],
      ["a first assessment", "assessment", two, assessed, first],
      ["an assessment after one without a result", "assessment", two, assessed, second(null)],
      ["an assessment with a number as version", "assessment", numbered, assessed, second(assessment)],
      ["an automatic destruction", "workspace", two, bare, destruction],
    ];
    for (const [what, kind, envelope, members, details] of kinds) {
      const sent = { ...members, ...(details && { trigger_scope: kind, details }) };
      it(`parse reads all members of ${what}`, () => {
        const update = { run_status: "planned", run_updated_at: "now", run_updated_by: "ada" };
        const triggers = ["run:planning", "change_request:created", "team:change_request"];
        const notifications = triggers.map((trigger) => ({ trigger, trigger_type: null, ...update }));
        const raw = { ...envelope, ...sent, ...(details === undefined && { notifications }) };
        assert.deepEqual(parsed(raw), {
          kind,
          payloadVersion: details === undefined ? 1 : 2,
          ...renamed({ ...members, ...details }),
          ...(details === undefined && { notifications: notifications.map(renamed) }),
          raw,
        });
      });
    }

    it("parse returns undefined for members that are missing or of another type", () => {
      const event = { message: 1, trigger: {}, run_status: null, run_updated_at: 7, run_updated_by: true };
      const raw = { ...one, run_id: "run-1", run_created_by: 5, notifications: [null, 5, {}, event] };
      assert.deepEqual(parsed(raw), {
        kind: "run",
        payloadVersion: 1,
        runId: "run-1",
        notifications: [{}, {}],
        raw,
      });
      for (const details of [[], { run_status: 7, workspace_id: null }]) {
        const other = { ...two, trigger_scope: "workspace", details };
        assert.deepEqual(parsed(other), { kind: "workspace", payloadVersion: 2, raw: other });
      }
      const details = { new_assessment_result: { drifted: 1, checks_passed: "1", id: 7 } };
      const found = parsed({ ...two, trigger_scope: "assessment", details });
      assert.deepEqual((found as Record<string, unknown>).newAssessmentResult, {});
    });

    const events = { ...run, notifications: [] };
    const others: readonly [string, unknown][] = [
      ["an unknown scope", { ...two, trigger_scope: "team", details: {} }],
      ["an assessment in a later version", { payload_version: 3, trigger_scope: "assessment", details: {} }],
      ["an assessment in an earlier version", { ...one, trigger_scope: "assessment" }],
      ["a run in a later version", { ...events, payload_version: 2 }],
      ["a run in a later version, as text", { ...events, payload_version: "2" }],
      ["a run in an earlier version", { ...events, payload_version: 0 }],
      ["a run with an invalid version", { ...events, payload_version: {} }],
      ["an empty object", {}],
      ["a list", [{ ...events, ...one }]],
      ["a text", "run"],
      ["nothing", null],
      ["a run without an ID", { ...events, ...one, run_id: null }],
      ["events that are not a list", { ...run, ...one, notifications: { 0: { trigger: "verification" } } }],
    ];
    for (const [what, raw] of others) {
      it(`parse returns ${what} unchanged`, () => {
        const { payload_version: version } = (raw ?? {}) as { payload_version?: unknown };
        const isVersion = typeof version === "number" || typeof version === "string";
        const payloadVersion = isVersion ? { payloadVersion: Number(version) } : {};
        assert.deepEqual(parsed(raw), { kind: "other", ...payloadVersion, raw });
      });
    }

    it("parse accepts bytes of every kind, with or without a byte order mark", () => {
      const text = '\ufeff{"payload_version":2}';
      const { buffer } = Uint8Array.from(Buffer.from(text));
      for (const body of [buffer, new DataView(buffer), Buffer.from(text), new Uint8Array(buffer)]) {
        const { kind } = parse(body as Uint8Array, { signature: sign(text), token });
        assert.equal(kind, "other");
      }
    });

    it("parse explains how to get the raw body if it receives anything else, without showing its content", () => {
      for (const body of [{ canary: 1 }, undefined, null, 7, ["canary"], Symbol("canary"), () => "canary"]) {
        const kind = body === null ? "null" : `of type ${typeof body}`;
        const advice = `must be the body as it arrived, as text or bytes, not ${kind}: .*express\\.raw\\(.*Fastify.*parseAs`;
        const message = new RegExp(`^(?!.*canary).*${advice}`);
        assert.throws(() => parse(body as never, { signature: sign("x"), token }), { message });
        assert.throws(() => parseUnsigned(body as never), { message });
        assert.throws(() => verifySignature(body as never, sign("x"), token), { message });
      }
    });

    it("parse treats a body that is empty or contains only nulls, with a valid signature, as a verification", () => {
      for (const body of ["", new Uint8Array()]) {
        const { kind, raw } = parse(body, { signature: sign(body), token });
        assert.deepEqual([kind, raw], ["verification", undefined]);
      }
      const nulls = Object.fromEntries(Object.keys(run).map((name) => [name, null]));
      const notifications = [{ message: "Verification of web", trigger: "verification", run_status: null }];
      const raw = { ...nulls, ...one, ...configuration, notifications };
      const expected = { kind: "verification", payloadVersion: 1, notificationConfigurationId: "nc-1", raw };
      assert.deepEqual(parsed(raw), expected);
    });

    const refusals = {
      unsigned: "The notification is not signed, so it does not come from a configuration with this token.",
      wrong:
        "The signature of the notification is not valid: it was created with another token, or the body was changed.",
      noToken:
        "No token was given to verify the signature of the notification. " +
        "For a configuration without a token, use parseUnsigned.",
      noJson: "The body of the notification is not JSON.",
    };
    const refused: readonly [string, string, string | string[] | undefined, string | undefined, string][] = [
      ["no signature", "{}", undefined, token, refusals.unsigned],
      ["an empty signature", "{}", "", token, refusals.wrong],
      ["a wrong signature", "{}", sign("[]"), token, refusals.wrong],
      ["several signatures", "{}", [sign("{}")], token, refusals.wrong],
      ["no token", "{}", sign("{}", ""), undefined, refusals.noToken],
      ["an empty token", "{}", sign("{}", ""), "", refusals.noToken],
      ["no JSON", "{", sign("{"), token, refusals.noJson],
      ["no body and a wrong signature", "", sign("{}"), token, refusals.wrong],
    ];
    for (const [what, body, signature, key, message] of refused) {
      it(`parse rejects ${what}`, () =>
        assert.throws(() => parse(body, { signature, token: key }), { name: "Error", message }));
    }

    it("parseUnsigned reads unsigned notifications in the same way, and rejects a body that is not JSON", () => {
      fc.assert(
        fc.property(fc.json(), (body) => {
          assert.deepEqual(parseUnsigned(body), parse(body, { signature: sign(body), token }));
        }),
      );
      assert.equal(parseUnsigned(Buffer.from('{"payload_version":1,"run_id":"run-1"}')).kind, "run");
      assert.throws(() => parseUnsigned("{"), { message: refusals.noJson });
    });
  });

  describe("with the service's notifications", () => {
    const seed = {
      organizations: [{ name: "acme" }],
      workspaces: [{ id: "ws-web", organization: "acme", name: "web" }],
    };
    const emulator = useEmulator({ seed });
    const products = useEmulator({ dialect: { provisioning: "hashicorp" }, seed });
    const receiver = useReceiver();
    const place = { workspaceId: "ws-web", workspaceName: "web", organizationName: "acme" };
    const received = (header: string) => {
      const { body, headers } = receiver.requests.pop() ?? assert.fail("the receiver has got nothing");
      assert.equal(headers[header], signatureOf(headers));
      const parsed = (text: string) => parse(Buffer.from(text), { signature: signatureOf(headers), token });
      return { body, parsed, notification: parsed(body) };
    };

    it("parse reads a verification request, then notifications about runs and other things", async () => {
      const { id } = await FakeEngine.create(notificationConfigurationDefinition, emulator, {
        workspaceId: "ws-web",
        name: "größer",
        destinationType: "generic",
        enabled: true,
        url: receiver.address,
        token,
        triggers: ["run:completed"],
      });
      const { kind, payloadVersion } = received(signatureHeader).notification;
      assert.deepEqual([kind, payloadVersion], ["verification", 1]);

      const send = (more: object) =>
        emulator.provisioning.sendNotification({ workspace: "ws-web", trigger: "run:completed", ...more });
      const run = { runId: "run-7", runMessage: "deploy 🚀", runCreatedBy: "ada" };
      await send({ ...run, message: "done" });
      const { body, parsed, notification } = received(signatureHeader);
      const { raw, runUrl, runCreatedAt, notifications, ...others } = notification as RunNotification;
      assert.deepEqual(others, {
        kind: "run",
        payloadVersion: 1,
        notificationConfigurationId: id,
        ...run,
        ...place,
      });
      assert.deepEqual(raw, JSON.parse(body));
      const [{ trigger, message, runStatus } = assert.fail()] = notifications;
      assert.deepEqual([trigger, message, runStatus], ["run:completed", "done", "completed"]);
      assert.ok(runUrl?.endsWith("/runs/run-7"));
      assert.equal(new Date(runCreatedAt ?? "").toISOString(), runCreatedAt);
      assert.throws(() => parsed(body.replace("run-7", "run-8")), { message: /signature .* is not valid/ });
      const other = { payload_version: "2", trigger: "workspace:deleted", details: {} };
      await send({ body: other });
      const expected = { kind: "other", payloadVersion: 2, raw: other };
      assert.deepEqual(received(signatureHeader).notification, expected);
    });

    const end = "2027-01-01T00:00:00Z";
    const scopes = {
      "assessment:drifted": { drifted: true, allChecksSucceeded: true, succeeded: true },
      "assessment:check_failure": { drifted: false, allChecksSucceeded: false, succeeded: true },
      "assessment:failed": { drifted: false, allChecksSucceeded: true, succeeded: false },
      "workspace:auto_destroy_reminder": { autoDestroyAt: end, runStatus: null },
      "workspace:auto_destroy_run_results": { autoDestroyAt: null, runStatus: "applied" },
    } as const;
    for (const trigger of Object.keys(scopes) as (keyof typeof scopes)[]) {
      it(`parse reads the emulator's notification of ${trigger}`, async () => {
        const configuration = { name: "all", enabled: true, url: receiver.address, token };
        const subscription = { workspace: "ws-web", ...configuration, triggers: [trigger] };
        products.provisioning.addNotificationConfiguration(subscription);
        const details = trigger.endsWith("reminder") ? { auto_destroy_at: end } : {};
        await products.provisioning.sendNotification({ workspace: "ws-web", trigger, details });
        const { notification } = received(hashicorpSignatureHeader);
        const result = notification.kind === "assessment" ? notification.newAssessmentResult : notification;
        const sent = trigger.replace("_run_results", "_results");
        const { workspaceId, ...names } = place;
        const assessed = notification.kind === "assessment" && { workspaceId };
        assert.deepEqual(notification, {
          ...notification,
          trigger: sent,
          workspaceId: undefined,
          ...names,
          ...assessed,
        });
        assert.deepEqual(result, { ...result, ...scopes[trigger] });
      });
    }

    // Terraform Enterprise 2.0, api-docs/notification-configurations/team, "Change request notification payload".
    it("parse reads the emulator's notification of a change request: version 1 with its members and the event", async () => {
      const { id: team } = products.provisioning.addTeam({ organization: "acme" });
      const configuration = { name: "all", enabled: true, url: receiver.address, token };
      const trigger = "change_request:created";
      products.provisioning.addNotificationConfiguration({ team, ...configuration, triggers: [trigger] });
      const details = { change_request_subject: "Upgrade" };
      await products.provisioning.sendNotification({ workspace: "ws-web", trigger, details });
      const { notification } = received(hashicorpSignatureHeader);
      assert.ok(notification.kind === "changeRequest", notification.kind);
      const { payloadVersion, changeRequestSubject, changeRequestUrl, raw, ...others } = notification;
      assert.deepEqual([payloadVersion, changeRequestSubject], [1, "Upgrade"]);
      assert.match(changeRequestUrl ?? "", /^https:\/\/.*\/change-requests\/wscr-/);
      assert.deepEqual(others, { ...others, ...place });
      assert.ok(others.changeRequestMessage !== undefined && others.changeRequestCreatedAt !== undefined);
      assert.equal(others.changeRequestCreatedBy, "emulator");
      assert.deepEqual(
        others.notifications.map((event) => event.trigger),
        [trigger],
      );
      assert.deepEqual(
        ["details", "trigger", "trigger_scope"].filter((name) => name in raw),
        [],
      );
    });

    // The same pages for projects: `notifications[].trigger_type` belongs to run:errored and run:needs_attention.
    it("parse reads the trigger type in the emulator's notification of a run that has failed or needs attention", async () => {
      const triggers = ["run:errored", "run:needs_attention", "run:completed"];
      const configuration = { name: "all", enabled: true, url: receiver.address, token, triggers };
      products.provisioning.addNotificationConfiguration({ workspace: "ws-web", ...configuration });
      const types = [];
      for (const [trigger = "", runStatus] of [
        ["run:errored"],
        ["run:errored", "canceled"],
        ["run:errored", "policy_soft_failed"],
        ["run:needs_attention"],
        ["run:needs_attention", "policy_override"],
        ["run:completed"],
      ]) {
        const status = runStatus === undefined ? {} : { runStatus };
        await products.provisioning.sendNotification({ workspace: "ws-web", trigger, ...status });
        const { notification } = received(hashicorpSignatureHeader);
        types.push((notification as RunNotification).notifications[0]?.triggerType);
      }
      assert.deepEqual(types, [
        "run:run_errored",
        "run:run_canceled",
        "run:policy_soft_failed",
        "run:pending_apply_approval",
        "run:policy_override_required",
        undefined,
      ]);
    });

    it("parse reads the emulator's notification of a deleted workspace, whose payload is not documented", async () => {
      const configuration = { name: "all", enabled: true, url: receiver.address, token };
      const trigger = "workspace:deleted";
      products.provisioning.addNotificationConfiguration({
        workspace: "ws-web",
        ...configuration,
        triggers: [trigger],
      });
      await products.provisioning.sendNotification({ workspace: "ws-web", trigger });
      const { notification } = received(hashicorpSignatureHeader);
      const { kind, raw } = notification;
      assert.equal(kind, "workspace");
      const { details } = raw as { readonly details: object };
      assert.deepEqual(Object.keys(details), ["workspace_name", "organization_name"]);
    });

    it("parse reads the configuration's address in the service's own web interface", async () => {
      const trigger = "assessment:drifted";
      const configuration = { name: "all", enabled: true, url: receiver.address, token, triggers: [trigger] };
      const { id } = products.provisioning.addNotificationConfiguration({
        workspace: "ws-web",
        ...configuration,
      });
      await products.provisioning.sendNotification({ workspace: "ws-web", trigger });
      const { notification } = received(hashicorpSignatureHeader);
      assert.ok(notification.kind === "assessment");
      const { address, token: credential } = products.provisioning;
      const url = notification.notificationConfigurationUrl ?? "";
      assert.equal(url, `${address}/api/v2/notification-configurations/${id}`);
      const response = await fetch(url, { headers: { Authorization: `Bearer ${credential}` } });
      assert.equal(response.status, 200);
      assert.ok(
        notification.newAssessmentResult?.url?.startsWith(`${address}/api/v2/assessment-results/asmtres-`),
      );
    });
  });
});
