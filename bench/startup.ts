import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { type Properties, ProviderProcess } from "../tests/support/provider-process";
import type { Bench } from "./stack";
import type { Row } from "./table";
import { median, spreadOf, takeTurns } from "./turns";

const rounds = 15;
const plugin = join(resolve(__dirname, ".."), "sdk", "plugin", "pulumi-resource-trivium");
const method: Properties = {
  issuer: "Acme",
  period: 30,
  keySize: 32,
  qrSize: 100,
  algorithm: "SHA256",
  digits: 8,
};

export async function startup(bench: Bench): Promise<readonly Row[]> {
  const { directory } = await bench.stack("thin");
  const service = createServer();
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  try {
    const startWith = (provider: string) => () =>
      timeToFirstRequest(directory, service, `exports.handler=()=>require(${provider}`);
    const times = await takeTurns(
      {
        library: startWith('"pulumi-trivium/dynamic").provider("secrets/mfa:TotpMethod")'),
        thin: startWith('"./thin-provider").TotpMethod'),
      },
      rounds,
    );
    const what = "start of a provider process to the first request of a creation, minus that of thin";
    return [beyond(what, 60, times.library, times.thin)];
  } finally {
    service.closeAllConnections();
    service.close();
  }
}

/** The time until the plugin prints its port, for which every command of the CLI waits. */
export async function pluginStart(): Promise<readonly Row[]> {
  const times = await takeTurns(
    {
      plugin: () => timeToFirstLine([plugin, "127.0.0.1:1"]),
      node: () => timeToFirstLine(["-e", "console.log(0)"]),
    },
    rounds,
  );
  const what = "from the plugin's start to its port, minus that of a bare Node.js process that prints a line";
  return [beyond(what, 100, times.plugin, times.node)];
}

function beyond(what: string, goal: number, own: readonly number[], baseline: readonly number[]): Row {
  return {
    what,
    how: `median of the differences of ${rounds} rounds`,
    figure: spreadOf(own, baseline, (one, other) => one - other).median,
    unit: "ms",
    goal: ["<=", goal],
    detail: `${median(own).toFixed(0)} vs. ${median(baseline).toFixed(0)} ms`,
  };
}

async function timeToFirstLine(parameters: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, parameters, { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  const duration = performance.now() - start;
  child.kill("SIGKILL");
  await once(child, "close");
  return duration;
}

/** The service never responds to the request. */
async function timeToFirstRequest(directory: string, service: Server, text: string): Promise<number> {
  const { port } = service.address() as AddressInfo;
  const start = performance.now();
  const environment = {
    SECRETS_ADDR: `http://127.0.0.1:${port}`,
    SECRETS_TOKEN: "bench",
    SECRETS_DIALECT: "hashicorp",
  };
  const provider = await ProviderProcess.start(directory, {}, environment);
  const { inputs } = await provider.check({}, { ...method, __provider: text });
  const request = once(service, "request");
  const creation = provider.create(inputs).then(() => {
    throw new Error("The creation ended before a request.");
  });
  // It fails when the process is stopped.
  creation.catch(() => undefined);
  await Promise.race([request, creation]);
  const duration = performance.now() - start;
  await provider.stop();
  return duration;
}
