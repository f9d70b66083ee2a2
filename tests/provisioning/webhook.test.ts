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
  it("verifySignature accepts what OpenSSL has signed", () =>
    fc.assert(
      fc.property(fc.uint8Array(), keys, (body, key) => verifySignature(body, openssl(body, key), key)),
      { numRuns: 20 },
    ));

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
    ["another last digit", right.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))],
    ["a space before", ` ${right}`],
    ["a line break behind", `${right}\n`],
    ["a prefix", `sha512=${right}`],
    ["base64", Buffer.from(right, "hex").toString("base64")],
    ["SHA-256", crypto.createHmac("sha256", token).update("body").digest("hex")],
    ["two, joined", `${right}, ${right}`],
    ["a list", [right]],
  ];
  for (const [what, signature] of wrong) {
    it(`verifySignature refuses a signature that is ${what}`, () =>
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
    /** What is read of a body, without the members that it leaves undefined. */
    const parsed = (raw: unknown): unknown => {
      const body = JSON.stringify(raw);
      return JSON.parse(JSON.stringify(parse(body, { signature: sign(body), token })));
    };
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
      ...{ succeeded: true, drifted: true, all_checks_succeeded: false },
      ...{ resources_drifted: 4, resources_undrifted: 50 },
      ...{ checks_passed: 1, checks_failed: 2, checks_errored: 3, checks_unknown: 5 },
    };
    const assessed = {
      ...configuration,
      ...texts("", "notification_configuration_url", "trigger", "message"),
    };
    const destruction = {
      ...place,
      ...texts("", "trigger_type", "auto_destroy_at", "run_external_id", "run_status"),
      ...{ run_created_at: null, run_create_error_message: "" },
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
        const notifications = ["run:planning", "change_request:created", "team:change_request"].map(
          (trigger) => ({
            trigger,
            trigger_type: null,
            run_status: "planned",
            run_updated_at: "now",
            run_updated_by: "ada",
          }),
        );
        const raw = { ...envelope, ...sent, ...(details === undefined && { notifications }) };
        assert.deepEqual(parsed(raw), {
          ...{ kind, payloadVersion: details === undefined ? 1 : 2, ...renamed({ ...members, ...details }) },
          ...(details === undefined && { notifications: notifications.map(renamed) }),
          raw,
        });
      });
    }

    it("parse leaves undefined what is missing or of another type", () => {
      const event = { message: 1, trigger: {}, run_status: null, run_updated_at: 7, run_updated_by: true };
      const raw = { ...one, run_id: "run-1", run_created_by: 5, notifications: [null, 5, {}, event] };
      assert.deepEqual(parsed(raw), {
        ...{ kind: "run", payloadVersion: 1, runId: "run-1", notifications: [{}, {}], raw },
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
      ["a scope that nobody knows", { ...two, trigger_scope: "team", details: {} }],
      ["an assessment in a later version", { payload_version: 3, trigger_scope: "assessment", details: {} }],
      ["an assessment in an earlier version", { ...one, trigger_scope: "assessment" }],
      ["a change request in a later version", { payload_version: 2, change_request_url: "https://x" }],
      ["a run in a later version", { ...events, payload_version: 2 }],
      ["a run in a later version, as text", { ...events, payload_version: "2" }],
      ["a run in an earlier version", { ...events, payload_version: 0 }],
      ["a run without a version", events],
      ["a run of a version that is none", { ...events, payload_version: {} }],
      ["an empty object", {}],
      ["a list", [{ ...events, ...one }]],
      ["a text", "run"],
      ["nothing", null],
      ["a run without an id", { ...events, ...one, run_id: null }],
      ["events that are no list", { ...run, ...one, notifications: { 0: { trigger: "verification" } } }],
    ];
    for (const [what, raw] of others) {
      it(`parse gives ${what} back as it is`, () => {
        const { payload_version: version } = (raw ?? {}) as { payload_version?: unknown };
        const isVersion = typeof version === "number" || typeof version === "string";
        const payloadVersion = isVersion ? { payloadVersion: Number(version) } : {};
        assert.deepEqual(parsed(raw), { kind: "other", ...payloadVersion, raw });
      });
    }

    it("parse takes bytes of every kind, and a byte order mark before them", () => {
      const text = '\ufeff{"payload_version":2}';
      const { buffer } = Uint8Array.from(Buffer.from(text));
      for (const body of [buffer, new DataView(buffer), Buffer.from(text), new Uint8Array(buffer)]) {
        const { kind } = parse(body as Uint8Array, { signature: sign(text), token });
        assert.equal(kind, "other");
      }
    });

    it("parse says of what is not the body as it arrived how to get that, without repeating it", () => {
      const advice =
        /must be the body as it arrived, as text or bytes, not .*express\.raw\(.*Fastify.*parseAs/;
      for (const body of [{ canary: 1 }, undefined, null, 7, ["canary"], Symbol("canary"), () => "canary"]) {
        for (const refused of [
          () => parse(body as never, { signature: sign("x"), token }),
          () => parseUnsigned(body as never),
          () => verifySignature(body as never, sign("x"), token),
        ]) {
          assert.throws(refused, ({ message }: Error) => {
            assert.match(message, advice);
            const kind = body === null ? "null" : `of type ${typeof body}`;
            return message.includes(`not ${kind}: `) && !message.includes("canary");
          });
        }
      }
    });

    it("parse treats an empty body with a valid signature as a verification, also one that only has nulls", () => {
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
      ["no body and no signature", "", undefined, token, refusals.unsigned],
      ["no body and a wrong signature", "", sign("{}"), token, refusals.wrong],
      ["no JSON and a wrong signature", "{", sign("{}"), token, refusals.wrong],
    ];
    for (const [what, body, signature, key, message] of refused) {
      it(`parse refuses ${what}`, () =>
        assert.throws(() => parse(body, { signature, token: key }), { name: "Error", message }));
    }

    it("parse never fails in another way, and never quotes what it was given", () => {
      const signatures = fc.oneof(fc.constant(undefined), fc.string(), fc.constant("right"));
      const tokens = fc.option(fc.string(), { nil: undefined });
      fc.assert(
        fc.property(bodies, signatures, tokens, (body, chosen, key) => {
          const signature = chosen === "right" ? sign(body, key ?? "") : chosen;
          try {
            parse(body, { signature, token: key });
          } catch (error) {
            assert.ok(Object.values(refusals).includes((error as Error).message), String(error));
          }
        }),
      );
    });

    it("parseUnsigned reads what nobody has signed, in the same way, and refuses what is not JSON", () => {
      fc.assert(
        fc.property(fc.json(), (body) => {
          assert.deepEqual(parseUnsigned(body), parse(body, { signature: sign(body), token }));
        }),
      );
      assert.equal(parseUnsigned(Buffer.from('{"payload_version":1,"run_id":"run-1"}')).kind, "run");
      assert.throws(() => parseUnsigned("{"), { message: refusals.noJson });
    });
  });

  describe("with what the service sends", () => {
    const emulator = useEmulator();
    const products = useEmulator({ dialect: { provisioning: "hashicorp" } });
    const receiver = useReceiver();
    const received = (): ReceivedRequest =>
      receiver.requests.pop() ?? assert.fail("the receiver has got nothing");
    const parseRequest = ({ body, headers }: ReceivedRequest, signature = signatureOf(headers)) =>
      parse(Buffer.from(body), { signature, token });

    it("parse reads a verification request, then notifications about runs and other things", async () => {
      emulator.provisioning.addOrganization({ name: "acme" });
      const workspaceId = emulator.provisioning.addWorkspace({ organization: "acme", name: "web" }).id;
      const { id } = await FakeEngine.create(notificationConfigurationDefinition, emulator, {
        ...{ workspaceId, name: "größer", destinationType: "generic", enabled: true },
        ...{ url: receiver.address, token, triggers: ["run:completed"] },
      });
      // A new configuration has no id yet that anybody knows.
      const verification = /^{"kind":"verification","payloadVersion":1,"notificationConfigurationId":"nc-/;
      assert.match(JSON.stringify(parseRequest(received())), verification);

      const send = (more: object) =>
        emulator.provisioning.sendNotification({ workspace: workspaceId, trigger: "run:completed", ...more });
      await send({ runId: "run-7", runMessage: "deploy 🚀", runCreatedBy: "ada", message: "done" });
      const request = received();
      const { raw, runUrl, runCreatedAt, notifications, ...notification } = parseRequest(
        request,
        request.headers[signatureHeader],
      ) as RunNotification;
      assert.deepEqual(notification, {
        ...{ kind: "run", payloadVersion: 1, notificationConfigurationId: id },
        ...{ runId: "run-7", runMessage: "deploy 🚀", runCreatedBy: "ada" },
        ...{ workspaceId, workspaceName: "web", organizationName: "acme" },
      });
      assert.deepEqual(raw, JSON.parse(request.body));
      const [{ trigger, message, runStatus } = assert.fail()] = notifications;
      assert.deepEqual([trigger, message, runStatus], ["run:completed", "done", "completed"]);
      assert.ok(runUrl?.endsWith("/runs/run-7"));
      assert.equal(new Date(runCreatedAt ?? "").toISOString(), runCreatedAt);
      assert.throws(() => parseRequest({ ...request, body: request.body.replace("run-7", "run-8") }), {
        message: /signature .* is not valid/,
      });
      const body = { payload_version: "2", trigger: "workspace:deleted", details: {} };
      await send({ body });
      assert.deepEqual(parseRequest(received()), { kind: "other", payloadVersion: 2, raw: body });
    });

    it("parse reads what the emulator sends of assessments and of automatic destruction", async () => {
      products.provisioning.addOrganization({ name: "acme" });
      const workspace = products.provisioning.addWorkspace({ organization: "acme", name: "web" }).id;
      const settings = { name: "all", enabled: true, url: receiver.address, token };
      const expected = {
        "assessment:drifted": ["assessment:drifted", true, true, true],
        "assessment:check_failure": ["assessment:check_failure", false, false, true],
        "assessment:failed": ["assessment:failed", false, true, false],
        "workspace:auto_destroy_reminder": ["workspace:auto_destroy_reminder", "2027-01-01T00:00:00Z", null],
        "workspace:auto_destroy_run_results": ["workspace:auto_destroy_results", null, "applied"],
      };
      const triggers = Object.keys(expected) as (keyof typeof expected)[];
      products.provisioning.addNotificationConfiguration({ workspace, ...settings, triggers });
      for (const trigger of triggers) {
        const details = trigger.endsWith("reminder") ? { auto_destroy_at: "2027-01-01T00:00:00Z" } : {};
        await products.provisioning.sendNotification({ workspace, trigger, details });
        const request = received();
        const notification = parseRequest(request, request.headers[hashicorpSignatureHeader]);
        assert.ok(notification.kind === "assessment" || notification.kind === "workspace");
        assert.deepEqual([notification.workspaceId, notification.workspaceName], [workspace, "web"]);
        if (notification.kind === "workspace") {
          const { autoDestroyAt, runStatus } = notification;
          assert.deepEqual([notification.trigger, autoDestroyAt, runStatus], expected[trigger]);
        } else {
          const { drifted, allChecksSucceeded, succeeded } =
            notification.newAssessmentResult ?? assert.fail();
          const found = [notification.trigger, drifted, allChecksSucceeded, succeeded];
          assert.deepEqual(found, expected[trigger]);
        }
      }
    });
  });
});
