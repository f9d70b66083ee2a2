import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { messageOf } from "../base/errors";
import { type ServiceName, serviceNames } from "../base/settings";
import { listed, showable, showableJson } from "../base/shown-text";
import { resourcesOfStack } from "./adapter/stacks";
import { type Command, textOption, UsageError } from "./command";
import { permissionLines, teamPermissions } from "./policy/provisioning";
import { type Purpose, purposes } from "./policy/requests";
import { aclRuleLines, aclRules } from "./policy/scheduler";
import { pathRuleLines, pathRules } from "./policy/secrets";
import { type Place, type PlacedSubject, subjectsIn } from "./policy/stack";

export const policyCommand: Command = {
  name: "policy",
  summary: "print what a token must be allowed to do for a stack, and nothing more",
  description: [
    "Prints the policy that a stack needs: for Vault and OpenBao a policy with paths and capabilities, for Nomad the rules of an ACL policy, and for HCP Terraform and Terraform Enterprise the team permissions. Each rule names the resources that need it. The resources come from the stack's state and, with --plan, also from a plan. The command does not send requests to the services.",
    "SERVICE is provisioning, secrets or scheduler (default: all). For one service, the output is a document that the product accepts as is.",
  ],
  words: "[SERVICE...]",
  options: {
    stack: {
      placeholder: "NAME",
      meaning:
        "the stack whose state to read (default: the selected stack; runs the Pulumi CLI in the project directory)",
    },
    for: {
      placeholder: "COMMAND",
      meaning: "preview, refresh, up or destroy (default: everything that the stack needs over its lifetime)",
    },
    plan: {
      placeholder: "FILE",
      meaning:
        "also include planned resources: a file with the output of pulumi preview --json, or - for standard input",
    },
    json: { meaning: "print the result as JSON" },
  },
  notes: [
    "A preview does not send requests for resources. Functions that a program calls also send requests in previews, but state does not contain them: see docs/permissions.md for the permissions of each.",
    "A path segment + represents an ID that the service generates. docs/permissions.md also lists what doctor and import-file need.",
  ],
  examples: [
    "npx pulumi-trivium policy secrets --stack prod > prod.hcl && vault policy write prod prod.hcl",
    "pulumi preview --json | npx pulumi-trivium policy secrets --plan -",
  ],

  async run(options, terminal, words) {
    const services = chosenServices(words);
    const purpose = chosenPurpose(textOption(options, "for"));
    const { interrupted: signal } = terminal;
    const plan = await readPlan(textOption(options, "plan"));
    const subjects = subjectsIn(await resourcesOfStack(textOption(options, "stack"), signal), plan);
    const policies = placesOf(subjects)
      .filter(({ place }) => services.includes(place.service))
      .map((group) => policyOf(group, purpose));
    if (options.json === true) {
      await terminal.print(
        showableJson({ for: purpose ?? null, policies: policies.map(({ json }) => json) }),
      );
      return;
    }
    const lines = policies.flatMap(({ heading, rules }) => [
      "",
      ...heading,
      ...rules.flatMap((rule) => ["", ...rule]),
    ]);
    const none = `# The stack has no resources of ${listed(services, "or")}.`;
    await terminal.print(...(policies.length === 0 ? [none] : lines.slice(1)).map((line) => showable(line)));
  },
};

function chosenServices(words: readonly string[]): readonly ServiceName[] {
  const unknown = words.find((word) => !serviceNames.some((name) => name === word));
  if (unknown !== undefined) {
    throw new UsageError(`SERVICE must be ${listed(serviceNames, "or")}, not ${JSON.stringify(unknown)}.`);
  }
  return words.length === 0 ? serviceNames : serviceNames.filter((name) => words.includes(name));
}

function chosenPurpose(name: string | undefined): Purpose | undefined {
  const purpose = purposes.find((each) => each === name);
  if (name !== undefined && purpose === undefined) {
    throw new UsageError(`--for must be ${listed(purposes, "or")}, not ${JSON.stringify(name)}.`);
  }
  return purpose;
}

async function readPlan(file: string | undefined): Promise<unknown> {
  if (file === undefined) {
    return undefined;
  }
  const name = file === "-" ? "standard input" : file;
  const content = await (file === "-" ? text(process.stdin) : readFile(file, "utf8")).catch(
    (error: unknown) => {
      throw new Error(`The plan could not be read from ${name}: ${messageOf(error)}`);
    },
  );
  try {
    return JSON.parse(content);
  } catch {
    throw new Error(
      `The plan could not be read from ${name}: it is not JSON. Write it with \`pulumi preview --json\`.`,
    );
  }
}

interface Group {
  readonly place: Place;
  readonly subjects: readonly PlacedSubject[];
}

/** A policy belongs to one service and namespace. */
function placesOf(subjects: readonly PlacedSubject[]): readonly Group[] {
  const groups = new Map<string, Group & { readonly subjects: PlacedSubject[] }>();
  for (const subject of subjects) {
    const { place } = subject;
    const key = JSON.stringify([serviceNames.indexOf(place.service), place.address, place.namespace]);
    const group = groups.get(key) ?? { place, subjects: [] };
    groups.set(key, group);
    group.subjects.push(subject);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

function policyOf({ place, subjects }: Group, purpose: Purpose | undefined) {
  const { service, address, namespace } = place;
  const where = address === undefined ? "" : ` at ${address}`;
  const within = namespace === undefined ? "" : ` in the namespace ${namespace}`;
  const purposeText = purpose === undefined ? "all operations on the stack" : `pulumi ${purpose}`;
  const heading = [`# Permissions for ${purposeText}, in the ${service} service${where}${within}.`];
  const shown = { service, address: address ?? null, namespace: namespace ?? null };
  const { rules, lines } = rulesOf[service](subjects, purpose);
  return { heading: explained(heading, rules), rules: lines, json: { ...shown, rules } };
}

type Rules = (
  subjects: readonly PlacedSubject[],
  purpose: Purpose | undefined,
) => { readonly rules: readonly unknown[]; readonly lines: readonly (readonly string[])[] };

function withLines<Rule>(
  of: (subjects: readonly PlacedSubject[], purpose: Purpose | undefined) => readonly Rule[],
  linesOf: (rule: Rule) => readonly string[],
): Rules {
  return (subjects, purpose) => {
    const rules = of(subjects, purpose);
    return { rules, lines: rules.map((rule) => linesOf(rule)) };
  };
}

const rulesOf: Readonly<Record<ServiceName, Rules>> = {
  secrets: withLines(pathRules, pathRuleLines),
  scheduler: withLines(aclRules, aclRuleLines),
  provisioning: withLines(teamPermissions, permissionLines),
};

function explained(heading: readonly string[], rules: readonly unknown[]): readonly string[] {
  return rules.length > 0
    ? heading
    : [...heading, "# None: it makes no request for the resources of the stack."];
}
