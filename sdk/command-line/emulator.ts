import { once } from "node:events";
import { emulator as loadEmulator } from "../on-demand";
import { type Command, listOption, textOption, UsageError, wholeNumber } from "./command";

const services = ["provisioning", "secrets", "scheduler"] as const;
const dialects = ["documented", "hashicorp"] as const;
const highestPort = 65_535;

/** Runs all three services on this machine. */
export const emulatorCommand: Command = {
  name: "emulator",
  summary: "run all three services on this machine, for trying things out",
  description: [
    "Runs an emulator of all three services until Ctrl-C. It prints their addresses and tokens as lines NAME=value, under the names by which programs and this command line look for them in the environment; where a service speaks another dialect than the documented one, a line names it.",
  ],
  options: {
    organization: {
      type: "string",
      multiple: true,
      placeholder: "NAME",
      meaning: "an organization that the provisioning service has to begin with",
    },
    port: {
      type: "string",
      multiple: true,
      placeholder: "SERVICE=PORT",
      meaning: "a fixed port for provisioning, secrets or scheduler (default: free ones)",
    },
    dialect: {
      type: "string",
      multiple: true,
      placeholder: "NAME",
      meaning:
        "what the services speak: documented, or hashicorp as Terraform Enterprise, Vault and Nomad do; SERVICE=NAME for one of them (default: documented)",
    },
    host: {
      type: "string",
      placeholder: "HOST",
      meaning: "the name or address to listen on (default: 127.0.0.1)",
    },
  },
  notes: [
    "What it holds is lost when it ends. It needs the package find-my-way: npm install --save-dev find-my-way",
  ],

  async run(options, terminal) {
    const host = textOption(options, "host");
    const ports = portsOf(listOption(options, "port") ?? []);
    const dialect = dialectsOf(listOption(options, "dialect") ?? []);
    const { startEmulator } = loadEmulator();
    const emulator = await startEmulator({ ports, dialect, ...(host === undefined ? {} : { host }) });
    try {
      for (const name of listOption(options, "organization") ?? []) {
        emulator.provisioning.addOrganization({ name });
      }
      // The tokens are the very thing to show here, and known to nobody's redactor.
      for (const [name, value] of Object.entries(emulator.environment)) {
        await terminal.print(`${name}=${value}`);
      }
      terminal.tell("The emulator runs until Ctrl-C.");
      if (!terminal.interrupted.aborted) {
        await once(terminal.interrupted, "abort");
      }
    } finally {
      await emulator.close();
    }
  },
};

type Service = (typeof services)[number];

function portsOf(texts: readonly string[]): Partial<Record<Service, number>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = "", port = ""] = text.split("=", 2);
      const service = serviceOf(name, () => `--port takes SERVICE=PORT with ${allServices}, not ${text}.`);
      const number = wholeNumber(port, `--port ${service}`);
      if (number > highestPort) {
        throw new UsageError(`--port ${service} takes a number up to ${highestPort}, not ${number}.`);
      }
      return [service, number] as const;
    }),
  );
}

/** What comes later counts more. */
function dialectsOf(texts: readonly string[]): Partial<Record<Service, (typeof dialects)[number]>> {
  return Object.fromEntries(
    texts.flatMap((text) => {
      const [service, name = ""] = text.includes("=") ? text.split("=", 2) : [undefined, text];
      const dialect = dialects.find((each) => each === name);
      const usage = (): string =>
        `--dialect takes ${dialects.join(" or ")}, or SERVICE=NAME with ${allServices}, not ${text}.`;
      if (dialect === undefined) {
        throw new UsageError(usage());
      }
      const concerned = service === undefined ? services : [serviceOf(service, usage)];
      return concerned.map((each) => [each, dialect] as const);
    }),
  );
}

const allServices = "provisioning, secrets or scheduler";

/** @param usage what to say when there is no such service */
function serviceOf(name: string, usage: () => string): Service {
  const service = services.find((each) => each === name);
  if (service === undefined) {
    throw new UsageError(usage());
  }
  return service;
}
