import { once } from "node:events";
import { listed, showable } from "../base/shown-text";
import { readFileSync } from "node:fs";
import type { EmulatorSeed } from "../testing";
import { isError, messageOf } from "../base/errors";
import { type Dialect, dialects, serviceNames, type ServiceName } from "../base/settings";
import { type Command, listOption, textOption, UsageError, wholeNumber } from "./command";

const highestPort = 65_535;

export const emulatorCommand: Command = {
  name: "emulator",
  summary: "run all three services on this machine, for evaluation and tests",
  description: [
    "Runs an emulator of all three services until Ctrl-C. It prints NAME=value lines with their addresses and tokens, using the environment variables that programs and this CLI read. For a service that does not speak the documented dialect, it also prints the dialect.",
    "A seed is a JSON file with the initial contents of the services: organizations, workspaces, users, entities, directory entries and so on. See EmulatorSeed in the reference.",
  ],
  options: {
    seed: {
      placeholder: "FILE",
      meaning: "a JSON file with the initial contents of the services",
    },
    organization: {
      multiple: true,
      placeholder: "NAME",
      meaning: "create this organization in the provisioning service",
    },
    port: {
      multiple: true,
      placeholder: "SERVICE=PORT",
      meaning: "a fixed port for provisioning, secrets or scheduler (default: free ports)",
    },
    dialect: {
      multiple: true,
      placeholder: "NAME",
      meaning:
        "the dialect of the services: documented, or hashicorp for that of Terraform Enterprise, Vault and Nomad; SERVICE=NAME for one service (default: documented)",
    },
    host: {
      placeholder: "HOST",
      meaning: "the name or address to listen on (default: 127.0.0.1)",
    },
  },
  notes: [
    "The contents are lost when the emulator ends. The emulator requires the package find-my-way: npm install --save-dev find-my-way. QR codes of TOTP secrets also require qrcode.",
  ],

  async run(options, terminal) {
    const host = textOption(options, "host");
    if (host?.trim() === "") {
      throw new UsageError("--host must not be empty.");
    }
    const ports = portsOf(listOption(options, "port"));
    const dialect = dialectsOf(listOption(options, "dialect"));
    const seedFile = textOption(options, "seed");
    // Requires a package that only the emulator needs.
    const { startEmulator } = require("../testing") as typeof import("../testing");
    const emulator = await startEmulator({
      ports,
      dialect,
      ...(host === undefined ? {} : { host }),
      ...(seedFile === undefined ? {} : { seed: seedIn(seedFile) }),
    });
    try {
      for (const name of listOption(options, "organization")) {
        emulator.provisioning.addOrganization({ name });
      }
      // The tokens are the output here and are not registered for redaction.
      const variables = Object.entries(emulator.environment);
      await terminal.print(...variables.map(([name, value]) => showable(`${name}=${value}`)));
      terminal.tell(showable("The emulator is running. Press Ctrl-C to stop it."));
      if (!terminal.interrupted.aborted) {
        await once(terminal.interrupted, "abort");
      }
    } finally {
      await emulator.close();
    }
  },
};

/** Not validated: the emulator does that. */
function seedIn(file: string): EmulatorSeed {
  try {
    return JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, "")) as EmulatorSeed;
  } catch (error) {
    const problem = isError(error) && error.name === "SyntaxError" ? "is not valid JSON" : "cannot be read";
    throw new UsageError(`--seed ${file} ${problem}: ${messageOf(error)}.`);
  }
}

const services = listed(serviceNames, "or");

function portsOf(texts: readonly string[]): Partial<Record<ServiceName, number>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name, port = ""] = text.split("=", 2);
      const service = serviceNames.find((each) => each === name);
      if (service === undefined || wholeNumber(port, `--port ${service}`) > highestPort) {
        throw new UsageError(
          `--port must be SERVICE=PORT, with ${services} and a port up to ${highestPort}, not ${text}.`,
        );
      }
      return [service, Number(port)] as const;
    }),
  );
}

/** Later entries override earlier ones. */
function dialectsOf(texts: readonly string[]): Partial<Record<ServiceName, Dialect>> {
  return Object.fromEntries(
    texts.flatMap((text) => {
      const [, service, name] = /^(?:([^=]*)=)?(.*)$/s.exec(text) ?? [];
      const dialect = dialects.find((each) => each === name);
      const concerned = serviceNames.filter((each) => service === undefined || each === service);
      if (dialect === undefined || concerned.length === 0) {
        throw new UsageError(
          `--dialect must be ${dialects.join(" or ")}, or SERVICE=NAME with ${services}, not ${text}.`,
        );
      }
      return concerned.map((each) => [each, dialect] as const);
    }),
  );
}
