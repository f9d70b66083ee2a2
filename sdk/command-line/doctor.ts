import path from "node:path";
import type { Probe } from "../connection/probe";
import { findProject, namesPlugin } from "../base/project-file";
import { adapterKey } from "../base/settings";
import { plainTokens, unknownKeys } from "../connection/program";
import type { Sources } from "../connection/sources";
import { listed, showable, showableJson } from "../base/shown-text";
import { provisioningProbe } from "../provisioning/probe";
import { schedulerProbe } from "../scheduler/probe";
import { secretsProbe } from "../secrets/probe";
import { usesPlugin } from "./adapter/project-file";
import { needOfPlugin } from "./adapter/stacks";
import { type Command, textOption, UsageError } from "./command";
import { examineService, type ServiceReport } from "./doctor/examine";
import { reportLines } from "./doctor/report";
import {
  adviceOnMissing,
  differs,
  readStackConfiguration,
  type StackConfiguration,
  storedProviders,
} from "./doctor/settings";

const probes: readonly Probe[] = [provisioningProbe, secretsProbe, schedulerProbe];

export const doctorCommand: Command = {
  name: "doctor",
  summary: "check that the services can be reached, and what their tokens are allowed to do",
  description: [
    "Checks each configured service: whether it responds, whether its certificate is valid, which product it is, whether it speaks the configured dialect, whether the token is valid, and, as far as a single lookup shows, what the token is allowed to do. It changes nothing. The output shows the source of each setting and how to fix each problem. It also reports whether the project uses the provider plugin and, after use-dynamic, whether any stack's state still needs it.",
    "SERVICE is provisioning, secrets or scheduler (default: all that are configured). A service that you name must be configured.",
  ],
  words: "[SERVICE...]",
  options: {
    stack: {
      placeholder: "NAME",
      meaning:
        "read settings from the configuration of this stack first, then from the environment, as programs do, and also check the connection of each trivium.Provider in its state (runs the Pulumi CLI in the project directory)",
    },
    json: { meaning: "print the result as JSON" },
  },
  notes: [
    "Settings come from PROVISIONING_ADDR, PROVISIONING_TOKEN, SECRETS_ADDR, SECRETS_TOKEN, SCHEDULER_ADDR, SCHEDULER_TOKEN and related variables. Exit status: 0 without problems (warnings do not count), 1 with problems, 2 for invalid usage. A request times out after 10 seconds unless a request timeout is set.",
  ],

  async run(options, terminal, words) {
    const { interrupted: signal } = terminal;
    const chosen = chooseProbes(words);
    const stack = textOption(options, "stack");
    if (stack === "") {
      throw new UsageError("--stack must be a stack name.");
    }
    const configuration = stack === undefined ? undefined : await readStackConfiguration(stack, signal);
    const given = { configuration, environment: process.env };
    const sources: Sources = { ...given, advice: (service) => adviceOnMissing(sources, service) };
    const providers = stack === undefined ? [] : await storedProviders(stack, signal);
    const examinations = chosen.flatMap((probe) => {
      const own = providers.filter((provider) => differs(provider, sources, probe.service.name));
      return [
        { probe, sources, required: words.length > 0 && own.length === 0 },
        ...own.map(({ name, settings }) => ({
          probe,
          sources: { configuration: settings, environment: process.env },
          required: true,
          provider: name,
        })),
      ];
    });
    const services = await Promise.all(
      examinations.map(({ probe, ...context }) => examineService(probe, { ...context, signal })),
    );
    if (configuration !== undefined) {
      reportKeys(configuration, services);
    }
    // From the stack's configuration or, without a stack, the project file.
    const { file = "Pulumi.yaml", text: project = "" } = findProject(process.cwd()) ?? {};
    const name = path.basename(file);
    const isPlugin =
      configuration === undefined ? usesPlugin(project) : configuration.get(adapterKey) === "plugin";
    const isNamed = namesPlugin(project);
    const notice = isPlugin
      ? isNamed
        ? "The provider plugin manages the resources."
        : `The provider plugin manages the resources, but ${name} does not list it, so the Pulumi CLI would look for it on the internet: run npx pulumi-trivium use-plugin.`
      : isNamed
        ? await leftoverNotice(name, signal)
        : undefined;
    const problem = problemOf(services, isPlugin && !isNamed ? 1 : 0);
    const adapter = isPlugin ? "plugin" : "dynamic";
    const lines =
      options.json === true
        ? [showableJson({ ok: problem === undefined, adapter, notice, services })]
        : [
            ...(notice === undefined ? [] : [notice, ""]).map((line) => showable(line)),
            ...reportLines(services, terminal.showsColors),
          ];
    await terminal.print(...lines);
    if (problem !== undefined) {
      throw new Error(problem);
    }
  },
};

/** A finding: the project file names a plugin that its programs do not use. */
async function leftoverNotice(name: string, signal: AbortSignal): Promise<string> {
  const need = await needOfPlugin(signal);
  return need === undefined
    ? `No stack needs the provider plugin any more: npx pulumi-trivium use-dynamic removes it from ${name}.`
    : `${name} still lists the provider plugin: ${need} Run pulumi up in each stack.`;
}

function chooseProbes(words: readonly string[]): readonly Probe[] {
  const names: readonly string[] = probes.map(({ service }) => service.name);
  const unknown = words.find((word) => !names.includes(word));
  if (unknown !== undefined) {
    throw new UsageError(`SERVICE must be ${listed(names, "or")}, not ${JSON.stringify(unknown)}.`);
  }
  return words.length === 0 ? probes : probes.filter(({ service }) => words.includes(service.name));
}

/** Reports each key with the service that it was probably meant for, else with the first. */
function reportKeys({ keys, isSecret }: StackConfiguration, reports: readonly ServiceReport[]): void {
  const found = [
    ...unknownKeys(keys).map((each) => ({ ...each, code: "UNKNOWN_KEY" })),
    ...plainTokens(keys, isSecret).map((each) => ({ ...each, meant: undefined, code: "PLAIN_TOKEN" })),
  ];
  for (const { key, meant = key, problem: message, advice, code } of found) {
    const report = reports.find(({ service }) => meant.startsWith(`trivium:${service}`)) ?? reports[0];
    report?.findings.push({ check: "settings", state: "warning", message, advice, code });
  }
}

/** @param others the number of problems that do not belong to a service */
function problemOf(reports: readonly ServiceReport[], others: number): string | undefined {
  if (reports.every(({ configured }) => !configured)) {
    const what = reports.length === 1 ? "The service is not" : "No service is";
    return `${what} configured in the environment or the stack configuration.`;
  }
  const findings = reports.flatMap((report) => report.findings);
  const count = findings.filter(({ state }) => state === "problem").length + others;
  return count === 0 ? undefined : `${count} problem${count === 1 ? "" : "s"}.`;
}
