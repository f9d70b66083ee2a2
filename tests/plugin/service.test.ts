import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { secret, unknownValues } from "../support/values";
import { useEmulator } from "../support/use-emulator";

const executable = join(__dirname, "..", "..", "sdk", "plugin", "pulumi-resource-trivium");
const urn = "urn:pulumi:test::test::trivium:provisioning:NotificationConfiguration::runs";

/** Where stack configuration says that the provisioning service is. */
const stackAddress = "https://provisioning.example.com";

type Properties = Record<string, JavaScriptValue>;
type Callback<Response> = (error: grpc.ServiceError | null, response: Response) => void;

describe("the plugin, asked as the engine asks", function () {
  this.timeout(60_000);
  const emulator = useEmulator({ resets: false });
  let child: ChildProcess;
  let client: ResourceProviderClient;

  const call = <Response>(start: (callback: Callback<Response>) => unknown): Promise<Response> =>
    new Promise((resolve, reject) =>
      start((error, response) => (error === null ? resolve(response) : reject(new Error(error.details)))),
    );
  const invoke = async (token: string, args: Properties): Promise<Properties> => {
    const request = new messages.InvokeRequest().setTok(token).setArgs(Struct.fromJavaScript(args));
    const response = await call<messages.InvokeResponse>((callback) => client.invoke(request, callback));
    return response.getReturn()?.toJavaScript() ?? {};
  };

  before(async () => {
    child = spawn(process.execPath, [executable], {
      env: {
        ...process.env,
        PULUMI_CONFIG: JSON.stringify({
          provisioningAddress: stackAddress,
          provisioningAdress: "of the stack",
        }),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    assert.ok(child.stdout);
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    client = new ResourceProviderClient(
      `127.0.0.1:${port.toString().trim()}`,
      grpc.credentials.createInsecure(),
    );
    emulator.provisioning.addOrganization({ name: "acme" });
    const { address, token } = emulator.provisioning;
    // As stack configuration names them in the plugin's own namespace.
    const settings = { provisioningAddress: address, provisioningToken: token };
    const request = new messages.ConfigureRequest().setArgs(Struct.fromJavaScript(settings));
    const response = await call<messages.ConfigureResponse>((callback) =>
      client.configure(request, callback),
    );
    assert.deepEqual([response.getAcceptsecrets(), response.getSupportspreview()], [true, true]);
  });

  after(async () => {
    client.close();
    child.kill("SIGKILL");
    await once(child, "close");
  });

  it("the plugin calls read-only functions", async () => {
    const { id } = emulator.provisioning.addProject({ organization: "acme", name: "payments" });
    const found = await invoke("trivium:provisioning:getProject", { id });
    assert.deepEqual([found.id, found.name, found.organization], [id, "payments", "acme"]);
  });

  it("the plugin marks what is secret in their results", async () => {
    const { id: workspaceId } = emulator.provisioning.addWorkspace({ organization: "acme" });
    const { id } = emulator.provisioning.addNotificationConfiguration({
      workspace: workspaceId,
      name: "runs",
      url: "https://hooks.example.com/canary-path-61f0",
    });
    const { url, name } = await invoke("trivium:provisioning:getNotificationConfiguration", { id });
    for (const value of [url, name]) {
      const actual = (value as Properties)["4dabf18193072939515e22adb298388d"];
      assert.equal(actual, "1b47061264138c4ac30d75fd1eb44270");
    }
  });

  for (const token of [
    "trivium:provisioning:moveWorkspaces",
    "trivium:provisioning:getProjectOutput",
    "trivium:provisioning:getNothing",
    // Each call mints a credential: for scripts only.
    "trivium:secrets/directory:getDynamicCredentials",
    "trivium:secrets/scheduler:getCredentials",
    "other:provisioning:getProject",
  ]) {
    it(`the plugin has no function ${token}`, () => assert.rejects(invoke(token, {}), /has no function/));
  }

  it("the plugin names the nearest type and the nearest function where there is none of that name", async () => {
    const typesMeant = {
      "secrets:scheduler:Role": "secrets/scheduler:Role",
      "scheduler:Token": "secrets/scheduler:Token",
      "provisioning:Projects": "provisioning:Project",
      "provisioning/notificationConfiguration:NotificationConfiguration":
        "provisioning:NotificationConfiguration",
    };
    for (const [type, meant] of Object.entries(typesMeant)) {
      const request = new messages.ReadRequest().setUrn(`urn:pulumi:t::t::trivium:${type}::it`).setId("x");
      await assert.rejects(
        call((callback) => client.read(request, callback)),
        {
          message: `The installed pulumi-trivium has no resource type trivium:${type}; did you mean trivium:${meant}? If a newer version wrote the state, upgrade pulumi-trivium in this project.`,
        },
      );
    }
    await assert.rejects(invoke("trivium:secrets:scheduler:getRole", {}), {
      message:
        "The installed pulumi-trivium has no function trivium:secrets:scheduler:getRole; did you mean trivium:secrets/scheduler:getRole?",
    });
  });

  it("the plugin names the part of an argument that has changed", async () => {
    const former = { workspaceId: "ws-1", name: "runs", destinationType: "email" };
    const olds = Struct.fromJavaScript({
      ...former,
      triggers: ["run:created", "run:errored"],
      enabled: false,
    });
    const inputs = Struct.fromJavaScript({ ...former, triggers: ["run:created", "run:errored"] });
    const news = Struct.fromJavaScript({ ...former, triggers: ["run:created", "run:completed"] });
    const request = new messages.DiffRequest()
      .setId("nc-1")
      .setUrn(urn)
      .setOlds(olds)
      .setOldInputs(inputs)
      .setNews(news);
    const response = await call<messages.DiffResponse>((callback) => client.diff(request, callback));
    assert.equal(response.getChanges(), messages.DiffResponse.DiffChanges.DIFF_SOME);
    const details = response
      .getDetaileddiffMap()
      .toArray()
      .map(([path]) => path);
    assert.deepEqual(details, ["triggers[1]"]);
  });

  it("the plugin refuses settings that it does not know, encrypts secret ones, and repeats no value", async () => {
    const canary = "canary-of-a-setting-11b7";
    const checked = async (name: string, news: Properties) => {
      const request = new messages.CheckRequest()
        .setUrn(`urn:pulumi:test::test::pulumi:providers:trivium::${name}`)
        .setNews(Struct.fromJavaScript(news));
      const response = await call<messages.CheckResponse>((callback) =>
        client.checkConfig(request, callback),
      );
      const failures = response
        .getFailuresList()
        .map((failure) => [failure.getProperty(), failure.getReason()]);
      return { inputs: response.getInputs()?.toJavaScript(), failures };
    };
    for (const [news, reason] of [
      [
        { provisioningTokn: canary },
        "provisioningTokn is not a valid setting; did you mean provisioningToken?",
      ],
      [
        { "trivium:secretsTokn": secret(canary) },
        "trivium:secretsTokn is not a valid setting; did you mean secretsToken?",
      ],
      [{ secrets: { token: canary } }, "secrets is not a valid setting."],
      [{ secretsToken: { v: canary } }, "secretsToken must be text, not an object"],
      [{ secretsToken: secret([canary]) }, "secretsToken must be text, not a list"],
    ] as const) {
      assert.deepEqual((await checked("eu", news)).failures, [["", reason]]);
    }
    const open = {
      provisioningAddress: "https://eu.example.com",
      version: "0.1.0",
      secretsDialect: "hashicorp",
    };
    const tokens = {
      provisioningToken: canary,
      secretsHeaders: { a: secret(canary) },
      "trivium:schedulerClientKey": canary,
    };
    const { inputs, failures } = await checked("eu", { ...open, ...tokens, secretsToken: secret(canary) });
    assert.deepEqual(failures, []);
    assert.deepEqual(inputs, {
      ...open,
      provisioningOwnAddress: "true",
      provisioningToken: secret(canary),
      secretsHeaders: secret({ a: canary }),
      "trivium:schedulerClientKey": secret(canary),
      secretsToken: secret(canary),
    });
    assert.deepEqual((await checked("default", { provisioningAdress: "of the stack" })).failures, []);
  });

  describe("leaves it to nobody else whom an explicit provider's address trusts", () => {
    const own = async (name: string, news: Properties): Promise<JavaScriptValue | undefined> => {
      const request = new messages.CheckRequest()
        .setUrn(`urn:pulumi:test::test::pulumi:providers:trivium::${name}`)
        .setNews(Struct.fromJavaScript(news));
      const response = await call<messages.CheckResponse>((callback) =>
        client.checkConfig(request, callback),
      );
      return response.getInputs()?.toJavaScript().provisioningOwnAddress;
    };
    const other = "https://eu.example.com";

    for (const name of ["eu", "default_eu", "default_1_2", "defaults", "default_1_2_3", "default"]) {
      it(`an explicit provider's trust is left to nobody else: named ${name}`, async () => {
        assert.equal(await own(name, { provisioningAddress: other }), "true");
        assert.equal(await own(name, { provisioningAddress: secret(other) }), "true");
        assert.equal(await own(name, { provisioningAddress: unknownValues.string }), "true");
      });
    }

    it("an explicit provider's trust is left to nobody else, even if its address is the stack's", async () => {
      assert.equal(await own("default_eu", { provisioningAddress: stackAddress }), "true");
    });

    for (const name of ["default", "default_0_1_0", "default_1_2_3_beta_1", "default_https_/example.com"]) {
      it(`the engine's own provider ${name} has the trust settings of the stack`, async () => {
        assert.equal(await own(name, { provisioningAddress: stackAddress }), undefined);
        assert.equal(await own(name, { provisioningAddress: secret(stackAddress) }), undefined);
        assert.equal(await own(name, {}), undefined);
      });
    }
  });
});
