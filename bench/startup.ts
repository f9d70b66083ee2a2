import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type Properties, ProviderProcess } from "../tests/support/provider-process";
import { compiled, internals } from "./library";
import { PulumiProject } from "./pulumi-project";
import type { Row } from "./table";
import { difference, medianOf, takeTurns } from "./turns";

const rounds = 15;
const method: Properties = {
  issuer: "Acme",
  period: 30,
  keySize: 32,
  qrSize: 100,
  algorithm: "SHA256",
  digits: 8,
  skew: 0,
  maxValidationAttempts: 3,
};

/**
 * How long a provider process takes from its start to the first request that a creation makes, and how many modules of
 * the library it has loaded by then: the SDK's process, spoken to as the engine does.
 */
export async function startup(): Promise<readonly Row[]> {
  const service = createServer();
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const project = await PulumiProject.create("thin");
  try {
    const library = internals.stub().providerStub("secrets/mfa:TotpMethod");
    const thin = 'exports.handler=()=>require("./thin-provider").TotpMethod';
    const begin = (text: string) => () => timeToFirstRequest(project.directory, service, text);
    const times = await takeTurns({ library: begin(library), thin: begin(thin) }, rounds);
    const [own, other] = [medianOf(times.library), medianOf(times.thin)].map(({ value }) => value.toFixed(0));
    return [
      {
        what: "modules of ours that a provider process loads for one class",
        how: "files of the compiled library loaded when the first request of the creation of a TOTP method is made",
        unit: "modules",
        figures: [{ value: await loadedModules(project.directory, service, library) }],
        goal: { bound: "most", value: 60 },
      },
      {
        what: "start of a provider process to the first request of a creation, beyond thin's",
        how: `the SDK's provider process over gRPC, median of the differences of ${rounds} rounds`,
        unit: "ms",
        figures: [{ ...difference(times.library, times.thin), label: `(${own} ms beside ${other} ms)` }],
        goal: { bound: "most", value: 60 },
      },
    ];
  } finally {
    project.remove();
    service.closeAllConnections();
    service.close();
  }
}

async function timeToFirstRequest(directory: string, service: Server, text: string): Promise<number> {
  const begun = performance.now();
  const provider = await createUntilRequest(directory, service, text);
  const duration = performance.now() - begun;
  await provider.stop();
  return duration;
}

async function loadedModules(directory: string, service: Server, text: string): Promise<number> {
  const provider = await createUntilRequest(directory, service, text, {
    NODE_OPTIONS: `--import=${join(__dirname, "startup-probe.mjs")}`,
    BENCH_COMPILED: realpathSync(compiled),
  });
  provider.interrupt();
  await provider.ended;
  await provider.stop();
  return Number(provider.output);
}

/** Begins a creation, and leaves it where it makes its first request: that is never answered. */
async function createUntilRequest(
  directory: string,
  service: Server,
  text: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<ProviderProcess> {
  const { port } = service.address() as AddressInfo;
  const provider = await ProviderProcess.start(
    directory,
    {},
    {
      SECRETS_ADDR: `http://127.0.0.1:${port}`,
      SECRETS_TOKEN: "bench",
      SECRETS_DIALECT: "hashicorp",
      ...environment,
    },
  );
  const { inputs } = await provider.check({}, { ...method, __provider: text });
  const request = once(service, "request");
  const creation = provider.create(inputs).then(() => {
    throw new Error("The creation ended before a request.");
  });
  // Once the process is stopped, it fails.
  creation.catch(() => undefined);
  await Promise.race([request, creation]);
  return provider;
}
