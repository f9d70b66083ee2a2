import { once } from "node:events";
import { showable } from "../base/shown-text";
import { readFileSync } from "node:fs";
import type { EmulatorSeed } from "../testing";
import { messageOf } from "../base/errors";
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
    "A seed is a JSON file with what the services hold from the start: organizations, workspaces, users, entities, directory entries and so on. The reference of EmulatorSeed has every member.",
  ],
  options: {
    seed: {
      type: "string",
      placeholder: "FILE",
      meaning: "a JSON file with what the services hold from the start",
    },
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
    "What it holds is lost when it ends. It needs the package find-my-way: npm install --save-dev find-my-way; QR codes of TOTP secrets need qrcode as well.",
  ],

  async run(options, terminal) {
    const host = textOption(options, "host");
    const ports = portsOf(listOption(options, "port") ?? []);
    const dialect = dialectsOf(listOption(options, "dialect") ?? []);
    const seedFile = textOption(options, "seed");
    // Needs a package that is installed for it only.
    const { startEmulator } = require("../testing") as typeof import("../testing");
    const emulator = await startEmulator({
      ports,
      dialect,
      ...(host === undefined ? {} : { host }),
      ...(seedFile === undefined ? {} : { seed: seedIn(seedFile) }),
    });
    try {
      for (const name of listOption(options, "organization") ?? []) {
        emulator.provisioning.addOrganization({ name });
      }
      // The tokens are the very thing to show here, and known to nobody's redactor.
      for (const [name, value] of Object.entries(emulator.environment)) {
        await terminal.print(showable(`${name}=${value}`));
      }
      terminal.tell(showable("The emulator runs until Ctrl-C."));
      if (!terminal.interrupted.aborted) {
        await once(terminal.interrupted, "abort");
      }
    } finally {
      await emulator.close();
    }
  },
};

/** @returns what the emulator still has to check */
function seedIn(file: string): EmulatorSeed {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--seed ${file} cannot be read: ${messageOf(error)}.`);
  }
  try {
    return JSON.parse(text) as EmulatorSeed;
  } catch (error) {
    throw new UsageError(`--seed ${file} is not valid JSON: ${messageOf(error)}.`);
  }
}

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
