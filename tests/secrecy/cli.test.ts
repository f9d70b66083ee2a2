import assert from "node:assert/strict";
import { casesIn } from "../cases";
import { configSet, ProgramDirectory } from "../engine/support/program-directory";
import { encodings } from "../support/texts";
import type { Properties } from "../support/provider-process";
import { CanaryServices, echoes } from "./support/canary-services";
import {
  canariesIn,
  Exposure,
  keyPair,
  linesOfKey,
  secretArguments,
  secretOutputs,
} from "./support/exposure";
import { configurationWith, services } from "../support/proxy";
import { prepareCase, definitions as all, type PreparedCase } from "../support/services";
import { stepByStep } from "../support/step-by-step";
import { inClear } from "../support/values";

const definitions = [...all.values()];

interface Declared {
  readonly type: string;
  readonly args: object;
  readonly exported: readonly string[];
}

/** Declares what it is told in its environment, each after the one before, and gives all secrets as outputs. */
const program = `
  const library = require("pulumi-trivium");
  let before;
  for (const { type, args, exported } of JSON.parse(process.env.DECLARED)) {
    const Class = type.split(/[/:]/).reduce((module, name) => module[name], library);
    const name = type.replace(/[/:]/g, "-");
    before = new Class(name, args, before && { dependsOn: before });
    for (const output of exported) {
      exports[name + "-" + output] = before[output];
    }
  }
`;

describe("secrets of one stack with every class, with the real CLI", function () {
  this.timeout(180_000);
  stepByStep();

  let canaryServices: CanaryServices;
  const preparedCases = new Map<string, PreparedCase>();
  let directory: ProgramDirectory;
  const exposure = new Exposure();
  const canaries = new Set<string>();

  const declared = (change: boolean): Declared[] =>
    definitions.map((definition) => {
      const { type } = definition;
      const { valid, change: changed } =
        preparedCases.get(type) ?? assert.fail(`there is no case of ${type}`);
      const args = change ? { ...valid, ...changed } : valid;
      return { type, args, exported: [...secretArguments(definition), ...secretOutputs(definition)] };
    });

  /** Runs a command, and searches what it shows and every file that there is then. */
  const pulumi = async (command: readonly string[], change = false): Promise<boolean> => {
    const { succeeded, text } = await directory.pulumi(command, {
      environment: { DECLARED: JSON.stringify(declared(change)) },
    });
    exposure.search(command.join(" "), text, [...canaries]);
    exposure.search(`files after ${command.join(" ")}`, await directory.files(), [...canaries]);
    assert.deepEqual(exposure.take(), []);
    assert.deepEqual(canaryServices.misdirected(canaryServices.proxy.requests), []);
    canaryServices.proxy.requests.length = 0;
    lastText = text;
    return succeeded;
  };
  let lastText = "";
  const succeeds = async (command: readonly string[], change = false): Promise<void> =>
    assert.ok(await pulumi(command, change), lastText);

  /** From here on the secrets that services have given are canaries too. */
  const learnOutputs = async (): Promise<number> => {
    const { text } = await directory.pulumi(["stack", "export", "--show-secrets"]);
    const { deployment } = JSON.parse(text) as {
      deployment: { resources: { type: string; outputs?: Properties }[] };
    };
    for (const { type, outputs = {} } of deployment.resources) {
      const definition = definitions.find((each) => type.endsWith(`/trivium/${each.type}`));
      (definition === undefined ? [] : canariesIn(definition, inClear(outputs)))
        .filter((each) => each.length >= 6)
        .forEach((each) => canaries.add(each));
    }
    return deployment.resources.length;
  };

  before(async function () {
    this.timeout(900_000);
    canaryServices = await CanaryServices.start();
    const { emulator, receiver } = canaryServices.services;
    for (const [type, resourceCase] of casesIn("documented")) {
      preparedCases.set(type, await prepareCase(emulator, receiver, resourceCase));
    }
    const environment = Object.fromEntries(
      services.flatMap((service) => {
        const { token } = canaryServices.credentials(service);
        return Object.entries({
          ADDR: canaryServices.proxy.address(service),
          TOKEN: service === "provisioning" ? "" : token,
          CLIENT_CERT: keyPair.certificate,
          CLIENT_KEY: service === "secrets" ? "" : keyPair.key,
        }).map(([name, value]) => [`${service.toUpperCase()}_${name}`, value]);
      }),
    );
    directory = await ProgramDirectory.ofJavaScript("secrecy", program, environment);
    const settings = {
      ...configurationWith((service) => ({
        Headers: JSON.stringify({ "x-gateway-key": canaryServices.credentials(service).header }),
      })),
      "trivium:provisioningToken": canaryServices.credentials("provisioning").token,
      "trivium:secretsClientKey": keyPair.key,
    };
    await directory.succeed(configSet({}, settings));
    canaryServices.allCredentials.forEach((each) => canaries.add(each));
    for (const { type, args } of [...declared(false), ...declared(true)]) {
      const definition = definitions.find((each) => each.type === type) ?? assert.fail(type);
      for (const name of secretArguments(definition)) {
        const value = String(Reflect.get(args, name));
        const parts = value.includes("PRIVATE KEY") ? linesOfKey(value) : [value];
        parts.forEach((each) => canaries.add(each));
      }
    }
  });

  after(async () => {
    directory.remove();
    await canaryServices.close();
  });

  it("the secrets of a stack are hidden in plans, in words and in JSON", async () => {
    await succeeds(["preview", "--diff"]);
    await succeeds(["preview", "--json"]);
    assert.equal(canaryServices.proxy.requests.length, 0);
  });

  it("the secrets of a stack are hidden when everything is made, in outputs, and in what is exported", async () => {
    canaryServices.warn(
      Object.values(encodings).map((encode) => [...canaries].slice(0, 9).map(encode).join(" and ")),
    );
    await succeeds(["up", "--yes", "--skip-preview", "--diff"]);
    canaryServices.proxy.after = undefined;
    const known = canaries.size;
    assert.ok((await learnOutputs()) >= definitions.length);
    assert.ok(canaries.size > known + 4, "the services have given no secrets");
    await succeeds(["stack", "output", "--json"]);
    await succeeds(["stack", "export"]);
    await succeeds(["preview", "--diff"], true);
  });

  it("the secrets of a stack are hidden when updates fail with responses that repeat them", async () => {
    const [echo = assert.fail()] = echoes;
    // A service knows the secrets of others no more than a process does that has not come to them yet.
    canaryServices.proxy.before = (request) => {
      const sent = [...request.rawHeaders, request.body].join("\n");
      const secrets = [...canaries].filter((each) => sent.includes(JSON.stringify(each).slice(1, -1)));
      return request.method === "GET"
        ? undefined
        : echo.response({ request, secrets, elsewhere: canaryServices.elsewhere });
    };
    assert.equal(await pulumi(["up", "--yes", "--diff", "--continue-on-error"], true), false);
    assert.match(lastText, /returned 400:/);
    assert.match(lastText, /\[secret\]/);
    canaryServices.proxy.before = undefined;
    await succeeds(["up", "--yes", "--diff"], true);
    await learnOutputs();
  });

  it("the secrets of a stack are hidden in a refresh, and when everything is deleted", async () => {
    await succeeds(["refresh", "--yes", "--diff"], true);
    await succeeds(["destroy", "--yes", "--diff"], true);
    await succeeds(["stack", "history", "--json"]);
    assert.deepEqual(canaryServices.receivedElsewhere, []);
    const tried = `${canaries.size} canaries in ${exposure.searched} texts`;
    assert.ok(canaries.size >= 20 && exposure.searched >= 20, tried);
  });
});
