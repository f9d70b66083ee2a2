import { setMaxListeners } from "node:events";
import { counted, listed, type Probe } from "../connection/probe";
import { messageOf } from "../base/errors";
import { adapterKey } from "../base/settings";
import type { ConfigurationReader, Sources } from "../connection/sources";
import { explainUnknownKey, unknownKeys } from "../connection/unknown-keys";
import { showableJson } from "../base/shown-text";
import { problemInPath } from "../base/path";
import { provisioningProbe } from "../provisioning/probe";
import { schedulerProbe } from "../scheduler/probe";
import { secretsProbe } from "../secrets/probe";
import { findProject } from "./adapter/project";
import { namesPlugin, usesPlugin } from "./adapter/project-file";
import { stacksOnPlugin } from "./adapter/stacks";
import { type Command, listOption, type OptionValues, textOption, UsageError } from "./command";
import { examineService, type ServiceReport } from "./doctor/examine";
import { type LeftoverPlugin, reportData, reportLines } from "./doctor/report";
import { readStackConfiguration } from "./doctor/stack-configuration";

const probes: readonly Probe[] = [provisioningProbe, secretsProbe, schedulerProbe];

export const doctorCommand: Command = {
  name: "doctor",
  summary: "check that the services can be reached, and what their tokens may do",
  description: [
    "Checks each configured service: whether it responds, whether its certificate is valid, which product it is, whether it speaks the configured dialect, and whether the token is valid, and what one look-up says it may do. Nothing is changed. The output names the source of each setting, and what to do about each problem. It also says whether the provider plugin manages the resources of the project, and, after use-dynamic, whether the state of a stack still needs the plugin.",
    "SERVICE is provisioning, secrets or scheduler (default: all that are configured). A service named here must be configured.",
  ],
  words: "[SERVICE...]",
  options: {
    stack: {
      type: "string",
      placeholder: "NAME",
      meaning:
        "read settings from the configuration of this stack first, then from the environment, as programs do (runs the Pulumi CLI in the project directory)",
    },
    organization: {
      type: "string",
      multiple: true,
      placeholder: "NAME",
      meaning: "check that the token may read the projects of this organization",
    },
    workspace: {
      type: "string",
      multiple: true,
      placeholder: "ID",
      meaning: "check that the token may read the notification configurations of this workspace",
    },
    mount: {
      type: "string",
      multiple: true,
      placeholder: "MOUNT",
      meaning: "check that the token may list the roles of the directory or scheduler engine at this mount",
    },
    json: { type: "boolean", meaning: "print the result as JSON" },
  },
  notes: [
    "Settings come from PROVISIONING_ADDR, PROVISIONING_TOKEN, SECRETS_ADDR, SECRETS_TOKEN, SCHEDULER_ADDR, SCHEDULER_TOKEN and related variables. Exit status: 0 without problems (warnings do not count), 1 with problems, 2 for invalid usage. A request times out after 10 seconds unless a request timeout is set.",
  ],

  async run(options, terminal, words) {
    const chosen = chooseProbes(words);
    const interests = interestsOf(options, chosen);
    const stack = textOption(options, "stack");
    if (stack === "") {
      throw new UsageError("--stack must be the name of a stack.");
    }
    // Each request adds a listener, and many run at once.
    setMaxListeners(0, terminal.interrupted);
    const configuration =
      stack === undefined ? undefined : await readStackConfiguration(stack, terminal.interrupted);
    const sources: Sources = { configuration, environment: process.env };
    const required = words.length > 0;
    const reports = await Promise.all(
      chosen.map((probe) =>
        examineService(probe, { sources, interests, required, signal: terminal.interrupted }),
      ),
    );
    reportUnknownKeys(configuration?.keys ?? [], reports);
    const problem = problemOf(reports);
    const way = adapterOf(configuration);
    const leftover = way === "dynamic" ? await leftoverPlugin(terminal.interrupted) : undefined;
    const lines =
      options.json === true
        ? [showableJson(reportData(reports, problem === undefined, way, leftover))]
        : reportLines(reports, terminal.showsColours, way, leftover);
    for (const line of lines) {
      await terminal.print(line);
    }
    if (problem !== undefined) {
      throw new Error(problem);
    }
  },
};

/** From the stack's configuration or, without a stack, the project file. */
function adapterOf(configuration: ConfigurationReader | undefined): "dynamic" | "plugin" {
  const isPlugin =
    configuration?.get(adapterKey) === "plugin" ||
    (configuration === undefined && usesPlugin(findProject(process.cwd())?.text ?? ""));
  return isPlugin ? "plugin" : "dynamic";
}

/** @returns `undefined` unless the project file names a plugin that its programs do not use */
async function leftoverPlugin(signal: AbortSignal): Promise<LeftoverPlugin | undefined> {
  try {
    return namesPlugin(findProject(process.cwd())?.text ?? "")
      ? { neededBy: await stacksOnPlugin(signal) }
      : undefined;
  } catch (error) {
    return { neededBy: undefined, problem: messageOf(error) };
  }
}

function chooseProbes(words: readonly string[]): readonly Probe[] {
  const names = probes.map(({ service }) => service.name);
  for (const word of words) {
    if (!names.some((name) => name === word)) {
      throw new UsageError(`SERVICE must be ${listed(names, "or")}, not ${JSON.stringify(word)}.`);
    }
  }
  return words.length === 0 ? probes : probes.filter(({ service }) => words.includes(service.name));
}

/** By option name. */
function interestsOf(
  options: OptionValues,
  chosen: readonly Probe[],
): Readonly<Record<string, readonly string[] | undefined>> {
  const named = probes.flatMap((probe) =>
    Object.keys(probe.named).map((name) => {
      const values = listOption(options, name);
      if (values !== undefined && !chosen.includes(probe)) {
        throw new UsageError(`--${name} is for the ${probe.service.name} service, which is not checked.`);
      }
      for (const value of values ?? []) {
        const parts = name === "mount" ? value.replace(/^\/+|\/+$/g, "").split("/") : [value];
        const problem = parts.map(problemInPath).find((each) => each !== undefined);
        if (problem !== undefined) {
          throw new UsageError(`--${name}: ${JSON.stringify(value)} ${problem}.`);
        }
      }
      return [name, values] as const;
    }),
  );
  return Object.fromEntries(named);
}

/** Reports each key with the service that it was probably meant for, else with the first. */
function reportUnknownKeys(keys: readonly string[], reports: readonly ServiceReport[]): void {
  for (const unknown of unknownKeys(keys)) {
    const { problem, advice } = explainUnknownKey(unknown);
    const isFor = ({ service }: ServiceReport): boolean =>
      (unknown.meant ?? unknown.key).startsWith(`trivium:${service}`);
    (reports.find(isFor) ?? reports[0])?.findings.push({
      check: "settings",
      state: "warning",
      message: problem,
      advice,
      code: "UNKNOWN_KEY",
    });
  }
}

function problemOf(reports: readonly ServiceReport[]): string | undefined {
  if (reports.every(({ configured }) => !configured)) {
    const what = reports.length === 1 ? "The service is not" : "No service is";
    return `${what} configured in the environment or the stack configuration.`;
  }
  const count = reports.flatMap(({ findings }) => findings).filter(({ state }) => state === "problem").length;
  return count === 0 ? undefined : `${counted(count, "problem")}.`;
}
