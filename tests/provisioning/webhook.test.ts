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
  signatureHeader,
  signatureOf,
  verifySignature,
} from "../../sdk/provisioning/webhook";
import { type ReceivedRequest, useReceiver } from "../engine/support/receiver";
import { FakeEngine } from "../support/fake-engine";
import { useEmulator } from "../support/use-emulator";

const token = "a signing key";

/** The signature that OpenSSL makes. */
function openssl(body: Uint8Array, key: string): string {
  const hexKey = `hexkey:${Buffer.from(key).toString("hex")}`;
  const arguments_ = ["dgst", "-sha512", "-mac", "HMAC", "-macopt", hexKey, "-r"];
  const [signature = ""] = execFileSync("openssl", arguments_, { input: body }).toString().split(" ");
  return signature;
}

const sign = (body: string | Uint8Array, key = token): string =>
  crypto.createHmac("sha512", key).update(body).digest("hex");

const bodies = fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array(), fc.json());
const keys = fc.string({ unit: "binary", minLength: 1 });

describe("provisioning.webhook", () => {
  it("verifySignature accepts what OpenSSL has signed", () => {
    fc.assert(
      fc.property(fc.uint8Array(), keys, (body, key) => verifySignature(body, openssl(body, key), key)),
      { numRuns: 20 },
    );
    assert.equal(sign("body"), openssl(Buffer.from("body"), token));
  });

  it("verifySignature takes a body as text or as bytes alike", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), keys, (body, key) => {
        assert.equal(verifySignature(body, sign(Buffer.from(body), key), key), true);
        assert.equal(verifySignature(Buffer.from(body), sign(body, key), key), true);
      }),
    ));

  it("verifySignature refuses every other signature, whatever its length", () =>
    fc.assert(
      fc.property(bodies, fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{0,130}$/)), (body, other) => {
        fc.pre(other !== sign(body));
        assert.equal(verifySignature(body, other, token), false);
      }),
    ));

  const right = sign("body");
  const wrong: readonly [string, unknown][] = [
    ["none", undefined],
    ["null", null],
    ["an empty one", ""],
    ["upper case", right.toUpperCase()],
    ["one digit in upper case", right.replace(/[a-f]/, (digit) => digit.toUpperCase())],
    ["one digit too few", right.slice(1)],
    ["one digit too many", `${right}0`],
    ["a space before", ` ${right}`],
    ["a line break behind", `${right}\n`],
    ["a prefix", `sha512=${right}`],
    ["base64", Buffer.from(right, "hex").toString("base64")],
    ["SHA-256", crypto.createHmac("sha256", token).update("body").digest("hex")],
    ["two, joined", `${right}, ${right}`],
    ["a list", [right]],
  ];
  for (const [what, signature] of wrong) {
    it(`verifySignature refuses ${what}`, () =>
      assert.equal(verifySignature("body", signature as string | undefined, token), false));
  }

  it("verifySignature accepts nothing without a token, which anybody could have signed", () => {
    for (const missing of ["", undefined]) {
      assert.equal(verifySignature("body", sign("body", ""), missing), false);
    }
  });

  it("verifySignature compares all of the signature in constant time, whatever it is", () => {
    const compare = mock.method(crypto, "timingSafeEqual");
    try {
      const almost = right.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
      const signatures = [right, almost, ...wrong.map(([, signature]) => signature)];
      for (const signature of signatures) {
        verifySignature("body", signature as string | undefined, token);
      }
      verifySignature("body", right, "");
      verifySignature("body", right, undefined);
      const lengths = compare.mock.calls.map(({ arguments: [left, given] }) => [
        left.byteLength,
        given.byteLength,
      ]);
      assert.deepEqual(
        lengths,
        Array.from({ length: signatures.length + 2 }, () => [64, 64]),
      );
    } finally {
      compare.mock.restore();
    }
  });

  it("signatureOf knows the headers of both dialects", () => {
    assert.equal(signatureHeader, "x-svc-notification-signature");
    assert.equal(hashicorpSignatureHeader, "x-tfe-notification-signature");
  });

  const rows: readonly [string, NotificationHeaders, string | string[] | undefined][] = [
    ["the documented header", { "x-svc-notification-signature": "abc" }, "abc"],
    ["the product's header", { host: "x", "x-tfe-notification-signature": "abc" }, "abc"],
    ["a name in upper case", { "X-TFE-Notification-Signature": "abc" }, "abc"],
    ["the headers of fetch", new Headers({ "X-TFE-Notification-Signature": "abc" }), "abc"],
    ["an empty signature", new Headers({ "X-Svc-Notification-Signature": "" }), ""],
    ["several", { "x-tfe-notification-signature": ["abc", "def"] }, ["abc", "def"]],
    ["a header that is called get", { get: "x", "x-tfe-notification-signature": "abc" }, "abc"],
    ["none", { "x-signature": "abc", "x-tfe-notification-signature": undefined }, undefined],
    ["none of fetch", new Headers(), undefined],
  ];
  for (const [what, headers, expected] of rows) {
    it(`signatureOf finds ${what}`, () => assert.deepEqual(signatureOf(headers), expected));
  }

  describe("parse", () => {
    const parsed = (body: string) => parse(body, { signature: sign(body), token });

    const run = {
      payload_version: 1,
      notification_configuration_id: "nc-1",
      run_url: "https://service.example/run",
      run_id: "run-1",
      run_message: "Queued",
      run_created_at: "2026-01-01T00:00:00Z",
      run_created_by: null,
      workspace_id: "ws-1",
      workspace_name: "web",
      organization_name: "acme",
      notifications: [],
    };
    const others: readonly [string, unknown][] = [
      ["a scope that nobody knows", { payload_version: "2", trigger_scope: "team", details: {} }],
      ["an assessment in a later version", { payload_version: 3, trigger_scope: "assessment", details: {} }],
      ["an assessment in an earlier version", { payload_version: 1, trigger_scope: "assessment" }],
      ["a change request in a later version", { payload_version: 2, change_request_url: "https://x" }],
      ["a run in a later version", { ...run, payload_version: 2 }],
      ["a run in a later version, as text", { ...run, payload_version: "2" }],
      ["a run in an earlier version", { ...run, payload_version: 0 }],
      ["a run without a version", { ...run, payload_version: undefined }],
      ["a run of a version that is none", { ...run, payload_version: {} }],
      ["an empty object", {}],
      ["a list", [run]],
      ["a text", "run"],
      ["nothing", null],
      ["a run without an id", { ...run, run_id: null }],
      ["events that are no list", { ...run, notifications: { 0: { trigger: "verification" } } }],
    ];
    for (const [what, given] of others) {
      it(`parse gives ${what} back as it is`, () => {
        const raw: unknown = JSON.parse(JSON.stringify(given));
        const { payloadVersion, ...rest } = parsed(JSON.stringify(raw));
        assert.deepEqual(rest, { kind: "other", raw });
        const version = (raw as { payload_version?: unknown } | null)?.payload_version;
        const expected = typeof version === "object" || version === undefined ? undefined : Number(version);
        assert.equal(payloadVersion, expected);
      });
    }

    it("parse leaves missing members of a run and its events undefined", () => {
      const raw = { payload_version: 1, run_id: "run-1", notifications: [null, 5, {}] };
      const found = parsed(JSON.stringify(raw));
      assert.deepEqual(found, {
        kind: "run",
        payloadVersion: 1,
        notificationConfigurationId: undefined,
        runId: "run-1",
        runUrl: undefined,
        runMessage: undefined,
        runCreatedAt: undefined,
        runCreatedBy: undefined,
        workspaceId: undefined,
        workspaceName: undefined,
        organizationName: undefined,
        notifications: [
          {
            message: undefined,
            trigger: undefined,
            triggerType: undefined,
            runStatus: undefined,
            runUpdatedAt: undefined,
            runUpdatedBy: undefined,
          },
        ],
        raw,
      });
    });

    const place = { workspace_id: "ws-1", workspace_name: "web", organization_name: "acme" };
    const configuration = { notification_configuration_id: "nc-1" };
    const read = { notificationConfigurationId: "nc-1", workspaceId: "ws-1" };
    const names = { workspaceName: "web", organizationName: "acme" };

    it("parse reads a change request by its members, whatever its trigger is called", () => {
      for (const trigger of ["change_request:created", "team:change_request"]) {
        const raw = {
          payload_version: 1,
          ...configuration,
          change_request_url: "https://service.example/wscr-1",
          change_request_subject: "Pin versions",
          change_request_message: "All of them",
          change_request_created_at: "2026-01-01T00:00:00Z",
          change_request_created_by: "ada",
          ...place,
          notifications: [{ message: "Created", trigger, trigger_type: "team" }],
        };
        const [event] = raw.notifications;
        const nothing = { runStatus: undefined, runUpdatedAt: undefined, runUpdatedBy: undefined };
        const actual = parsed(JSON.stringify(raw));
        assert.deepEqual(actual, {
          kind: "changeRequest",
          payloadVersion: 1,
          ...read,
          changeRequestUrl: raw.change_request_url,
          changeRequestSubject: raw.change_request_subject,
          changeRequestMessage: raw.change_request_message,
          changeRequestCreatedAt: raw.change_request_created_at,
          changeRequestCreatedBy: "ada",
          ...names,
          notifications: [{ message: event?.message, trigger, triggerType: "team", ...nothing }],
          raw,
        });
      }
    });

    it("parse reads an assessment in version 2, as text or number, with both results", () => {
      const result = {
        id: "asmtres-1",
        url: "/api/v2/assessment-results/asmtres-1",
        succeeded: true,
        drifted: true,
        resources_drifted: 4,
        resources_undrifted: 50,
        all_checks_succeeded: false,
        checks_passed: 1,
        checks_failed: 2,
        checks_errored: 3,
        checks_unknown: 5,
        created_at: "2026-01-01T00:00:00Z",
      };
      for (const payload_version of ["2", 2]) {
        for (const prior of [null, result, undefined]) {
          const raw = {
            payload_version,
            ...configuration,
            notification_configuration_url: "https://service.example/nc-1",
            trigger_scope: "assessment",
            trigger: "assessment:drifted",
            message: "Drift Detected",
            details: { new_assessment_result: result, prior_assessment_result: prior, ...place },
          };
          const notification = parsed(JSON.stringify(raw));
          const expected = {
            id: result.id,
            url: result.url,
            succeeded: true,
            drifted: true,
            resourcesDrifted: 4,
            resourcesUndrifted: 50,
            allChecksSucceeded: false,
            checksPassed: 1,
            checksFailed: 2,
            checksErrored: 3,
            checksUnknown: 5,
            createdAt: result.created_at,
          };
          assert.deepEqual(notification, {
            kind: "assessment",
            payloadVersion: 2,
            ...read,
            notificationConfigurationUrl: raw.notification_configuration_url,
            trigger: raw.trigger,
            message: raw.message,
            newAssessmentResult: expected,
            priorAssessmentResult: prior && expected,
            ...names,
            raw: JSON.parse(JSON.stringify(raw)) as unknown,
          });
        }
      }
    });

    it("parse reads reminders and results of automatic destruction, and what they do not have", () => {
      const details = {
        auto_destroy_at: "2026-01-02T00:00:00Z",
        run_created_at: null,
        run_status: 7,
        ...place,
      };
      const raw = {
        payload_version: "2",
        ...configuration,
        trigger_scope: "workspace",
        trigger: "workspace:auto_destroy_results",
        details: { ...details, run_external_id: "run-1", trigger_type: "x", run_create_error_message: "" },
      };
      assert.deepEqual(parsed(JSON.stringify(raw)), {
        kind: "workspace",
        payloadVersion: 2,
        ...read,
        notificationConfigurationUrl: undefined,
        trigger: raw.trigger,
        message: undefined,
        triggerType: "x",
        autoDestroyAt: details.auto_destroy_at,
        runExternalId: "run-1",
        runCreatedAt: null,
        runStatus: undefined,
        runCreateErrorMessage: "",
        ...names,
        raw,
      });
      const bare = parsed('{"payload_version":"2","trigger_scope":"workspace","details":[]}');
      assert.ok(bare.kind === "workspace");
      assert.equal(bare.workspaceId, undefined);
    });

    it("parse reads several notifications about one run, which later versions may combine", () => {
      const notifications = ["run:planning", "run:completed"].map((trigger) => ({ trigger }));
      const read = parsed(JSON.stringify({ ...run, notifications }));
      assert.ok(read.kind === "run");
      assert.deepEqual(
        read.notifications.map(({ trigger }) => trigger),
        ["run:planning", "run:completed"],
      );
    });

    it("parse reads a run of version 1 only, whether that is a number or text", () => {
      for (const version of [1, "1"]) {
        const notification = parsed(JSON.stringify({ ...run, payload_version: version }));
        assert.deepEqual([notification.kind, notification.payloadVersion], ["run", 1]);
      }
    });

    it("parse tells null, which the service sends for itself, from nothing", () => {
      const notification = parsed(JSON.stringify({ ...run, notifications: [{ run_updated_by: null }] }));
      assert.ok(notification.kind === "run");
      assert.equal(notification.runCreatedBy, null);
      assert.equal(notification.notifications[0]?.runUpdatedBy, null);
    });

    it("parse takes bytes of every kind, and a byte order mark before them", () => {
      const text = '\ufeff{"payload_version":2}';
      const { buffer } = Uint8Array.from(Buffer.from(text));
      for (const body of [buffer, new DataView(buffer), Buffer.from(text), new Uint8Array(buffer)]) {
        const { kind } = parse(body as Uint8Array, { signature: sign(text), token });
        assert.equal(kind, "other");
      }
    });

    for (const body of [
      { canary: 1 },
      undefined,
      null,
      7,
      true,
      ["canary"],
      Symbol("canary"),
      () => "canary",
    ]) {
      it(`parse says that ${body === null ? "null" : typeof body} is not the body as it arrived, and how to get that`, () => {
        const advice =
          /^`rawBody` must be the body as it arrived, as text or bytes, not .*express\.raw\(.*Fastify.*parseAs: "buffer"/;
        for (const refused of [
          () => parse(body as never, { signature: sign("x"), token }),
          () => parseUnsigned(body as never),
          () => verifySignature(body as never, sign("x"), token),
        ]) {
          assert.throws(
            refused,
            (error: Error) => advice.test(error.message) && !error.message.includes("canary"),
          );
        }
      });
    }

    it("parse treats an empty body with a valid signature as a verification", () => {
      for (const body of ["", new Uint8Array()]) {
        assert.deepEqual(parse(body, { signature: sign(body), token }), {
          kind: "verification",
          payloadVersion: undefined,
          notificationConfigurationId: undefined,
          raw: undefined,
        });
      }
    });

    it("parse understands a verification in which everything about a run is null", () => {
      const raw = {
        ...Object.fromEntries(Object.keys(run).map((name) => [name, null])),
        payload_version: 1,
        notification_configuration_id: "nc-1",
        notifications: [
          { message: "Verification of web", trigger: "verification", run_status: null, run_updated_by: null },
        ],
      };
      assert.deepEqual(parsed(JSON.stringify(raw)), {
        kind: "verification",
        payloadVersion: 1,
        notificationConfigurationId: "nc-1",
        raw,
      });
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
      ["no body and no signature", "", undefined, token, refusals.unsigned],
      ["no body and a wrong signature", "", sign("{}"), token, refusals.wrong],
      ["no JSON and a wrong signature", "{", sign("{}"), token, refusals.wrong],
    ];
    for (const [what, body, signature, key, message] of refused) {
      it(`parse refuses ${what}`, () =>
        assert.throws(() => parse(body, { signature, token: key }), { name: "Error", message }));
    }

    it("parse never fails in another way, and never quotes what it was given", () => {
      const messages = Object.values(refusals);
      const signatures = fc.oneof(fc.constant(undefined), fc.string(), fc.constant("right"));
      const tokens = fc.option(fc.string(), { nil: undefined });
      fc.assert(
        fc.property(bodies, signatures, tokens, (body, chosen, key) => {
          const signature = chosen === "right" ? sign(body, key ?? "") : chosen;
          try {
            assert.match(
              parse(body, { signature, token: key }).kind,
              /^(run|assessment|workspace|changeRequest|verification|other)$/,
            );
          } catch (error) {
            assert.ok(error instanceof Error && messages.includes(error.message), String(error));
          }
        }),
      );
    });
  });

  it("parseUnsigned reads what nobody has signed, in the same way", () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        assert.deepEqual(parseUnsigned(body), parse(body, { signature: sign(body), token }));
      }),
    );
    assert.equal(parseUnsigned("").kind, "verification");
    assert.equal(parseUnsigned(Buffer.from('{"payload_version":1,"run_id":"run-1"}')).kind, "run");
  });

  it("parseUnsigned refuses what is not JSON", () =>
    assert.throws(() => parseUnsigned("{"), { message: "The body of the notification is not JSON." }));

  describe("with what the service sends", () => {
    const emulator = useEmulator();
    const products = useEmulator({ dialect: { provisioning: "hashicorp" } });
    const receiver = useReceiver();
    let workspace: string;

    beforeEach(() => {
      emulator.provisioning.addOrganization({ name: "acme" });
      workspace = emulator.provisioning.addWorkspace({ organization: "acme", name: "web" }).id;
    });

    const received = (): ReceivedRequest =>
      receiver.requests.pop() ?? assert.fail("the receiver has got nothing");
    const parseRequest = ({ body, headers }: ReceivedRequest) =>
      parse(Buffer.from(body), { signature: signatureOf(headers), token });

    it("parse reads a verification request, then notifications about runs and other things", async () => {
      const managed = await FakeEngine.create(notificationConfigurationDefinition, emulator, {
        workspaceId: workspace,
        name: "größer",
        destinationType: "generic",
        enabled: true,
        url: receiver.address,
        token,
        triggers: ["run:completed"],
      });
      const { id } = managed;
      const verification = received();
      const { raw, ...rest } = parseRequest(verification);
      assert.deepEqual(raw, JSON.parse(verification.body));
      // A new configuration has no id yet that anybody knows.
      assert.match(
        JSON.stringify(rest),
        /^\{"kind":"verification","payloadVersion":1,"notificationConfigurationId":"nc-[^"]+"\}$/,
      );

      const about = { runId: "run-7", runMessage: "deploy 🚀", runCreatedBy: "ada", message: "done" };
      await emulator.provisioning.sendNotification({ workspace, trigger: "run:completed", ...about });
      const request = received();
      const notification = parseRequest(request);
      assert.ok(notification.kind === "run");
      const [event] = notification.notifications;
      assert.deepEqual(
        [notification.notificationConfigurationId, notification.runId, notification.runMessage],
        [id, "run-7", "deploy 🚀"],
      );
      assert.deepEqual(
        [notification.workspaceId, notification.workspaceName, notification.organizationName],
        [workspace, "web", "acme"],
      );
      assert.deepEqual(
        [notification.runCreatedBy, event?.trigger, event?.message, event?.runStatus],
        ["ada", "run:completed", "done", "completed"],
      );
      assert.ok(notification.runUrl?.endsWith("/runs/run-7"));
      assert.equal(new Date(notification.runCreatedAt ?? "").toISOString(), notification.runCreatedAt);
      assert.throws(() => parseRequest({ ...request, body: request.body.replace("run-7", "run-8") }), {
        message: /signature .* is not valid/,
      });

      const body = { payload_version: "2", trigger: "workspace:deleted", details: {} };
      await emulator.provisioning.sendNotification({ workspace, trigger: "run:completed", body });
      assert.deepEqual(parseRequest(received()), { kind: "other", payloadVersion: 2, raw: body });
    });

    it("parse reads what the emulator sends of assessments and of automatic destruction", async () => {
      products.provisioning.addOrganization({ name: "acme" });
      const { id } = products.provisioning.addWorkspace({ organization: "acme", name: "web" });
      const triggers = [
        "assessment:drifted",
        "assessment:check_failure",
        "assessment:failed",
        "workspace:auto_destroy_reminder",
        "workspace:auto_destroy_run_results",
      ];
      const settings = { name: "all", enabled: true, url: receiver.address, token, triggers };
      products.provisioning.addNotificationConfiguration({ workspace: id, ...settings });
      const read: unknown[] = [];
      for (const trigger of triggers) {
        const details = trigger.endsWith("reminder") ? { auto_destroy_at: "2027-01-01T00:00:00Z" } : {};
        await products.provisioning.sendNotification({ workspace: id, trigger, details });
        const notification = parseRequest(received());
        assert.ok(notification.kind === "assessment" || notification.kind === "workspace");
        assert.deepEqual([notification.workspaceId, notification.workspaceName], [id, "web"]);
        if (notification.kind === "workspace") {
          read.push([notification.trigger, notification.autoDestroyAt, notification.runStatus]);
        } else {
          const { drifted, allChecksSucceeded, succeeded } =
            notification.newAssessmentResult ?? assert.fail("there is no result");
          read.push([notification.trigger, drifted, allChecksSucceeded, succeeded]);
        }
      }
      assert.deepEqual(read, [
        ["assessment:drifted", true, true, true],
        ["assessment:check_failure", false, false, true],
        ["assessment:failed", false, true, false],
        ["workspace:auto_destroy_reminder", "2027-01-01T00:00:00Z", null],
        ["workspace:auto_destroy_results", null, "applied"],
      ]);
    });
  });
});
