import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { Caller } from "../base/caller";
import { ConfigurationError, messageOf } from "../base/errors";
import { longestPart, showable, showableJson } from "../base/shown-text";
import { isObject, type JsonObject } from "../base/json";
import { connect, isSameService } from "../connection/connect";
import type { ResolvedSettings } from "../connection/resolve";
import { providerSources } from "../connection/sources";
import * as library from "../index";
import {
  type AnyResourceDefinition,
  type RemoteState,
  className,
  collectClasses,
  shortName,
} from "../resource/definition";
import { decodeEntry, pluginToken, typeToken } from "../resource/state/encoding";
import { findProject } from "../base/project-file";
import { usesPlugin } from "./adapter/project-file";
import { statesOfStacks } from "./adapter/stacks";
import {
  type Command,
  type CommandOption,
  forCommandLine,
  listOption,
  type OptionValues,
  textOption,
  UsageError,
} from "./command";
import type { Terminal } from "./terminal";

const place = (placeholder: string, meaning: string) => ({ placeholder, meaning, multiple: true });

const sources: Readonly<Record<string, CommandOption>> = {
  organization: place("NAME", "the projects of an organization"),
  "admin-organization": place(
    "NAME",
    "an organization's settings, module consumers and provider consumers, for site administrators",
  ),
  workspace: place("ID", "the notification configurations of a workspace"),
  project: place("ID", "the notification configurations of a project, in the hashicorp dialect"),
  team: place("ID", "the notification configurations of a team, in the hashicorp dialect"),
  directory: place("MOUNT", "a directory engine: its configuration, static roles and library sets"),
  scheduler: place("MOUNT", "a scheduler engine: its access and lease configurations and its roles"),
  "entity-aliases": { meaning: "all entity aliases" },
  mfa: { meaning: "all TOTP methods, and push methods without a mount" },
};

interface Candidate {
  readonly definition: AnyResourceDefinition;
  readonly id: string;
  /** Arguments known from the place. */
  readonly known: RemoteState;
  /** The option that selected it, as written. */
  readonly option: string;
  /** Selected by `--resource`: its absence is an error. */
  readonly named: boolean;
}

interface Found extends Candidate {
  readonly state?: RemoteState | undefined;
  /** Why it cannot be imported. */
  readonly reason?: string;
}

export const importFileCommand: Command = {
  name: "import-file",
  summary: "write the file for `pulumi import -f` for existing objects",
  description: [
    "Reads existing objects from the services and writes their types, names and ids to a file for `pulumi import -f`. The provider plugin (use-plugin) imports them, and the Pulumi CLI writes the program. Objects that a stack of the project in the working directory manages already are left out: the command asks the Pulumi CLI for the state of all stacks. Nothing is changed in the services. A project can move back to dynamic resources afterwards (use-dynamic).",
  ],
  options: {
    ...sources,
    resource: place(
      "CLASS=ID",
      "one object, such as DynamicRole=ldap/operators or PushMethod=push, which cannot be listed",
    ),
    provider: {
      placeholder: "NAME=URN",
      meaning:
        "the trivium.Provider for the imported resources, with the name of its variable; the environment must configure the same services",
    },
    parent: {
      placeholder: "NAME=URN",
      meaning: "the parent of the imported resources, such as a component, with the name of its variable",
    },
    out: { placeholder: "FILE", meaning: "the file (default: imports.json)" },
    overwrite: { meaning: "overwrite an existing file" },
    json: { meaning: "print the result as JSON" },
  },
  notes: [
    "Settings come from PROVISIONING_ADDR, PROVISIONING_TOKEN, SECRETS_ADDR, SECRETS_TOKEN and related variables. The file contains no secrets.",
    "--provider and --parent take what `pulumi import` takes; `pulumi stack --show-urns` lists the URNs.",
  ],
  examples: [
    "npx pulumi-trivium import-file --organization acme --workspace ws-4jYzgpqCuGAG3mCt",
    "npx pulumi-trivium import-file --directory ldap --resource DynamicRole=ldap/operators",
    "npx pulumi-trivium import-file --resource Project=prj-5aKcVVJ1yDLTPFoE --out project-import.json",
  ],

  async run(options, terminal) {
    const file = textOption(options, "out") ?? "imports.json";
    if (file === "") {
      throw new UsageError("--out must be the name of a file.");
    }
    if (options.overwrite !== true && existsSync(file)) {
      throw new UsageError(`--out: ${file} already exists. Name another file, or use --overwrite.`);
    }
    const { nameTable, roles } = placementOf(options);
    const managers = await managersOf(terminal.interrupted);
    const found = await find(options, terminal, managers);
    const taken = new Set(Object.keys(nameTable));
    const imported = found.flatMap(({ definition, id, state }) => {
      const type = pluginToken(definition.type);
      return state === undefined
        ? []
        : [{ class: className(definition), type, name: nameOf(definition, state, taken), id, ...roles }];
    });
    const leftOut = found.flatMap(({ definition, id, reason }) =>
      reason === undefined ? [] : [{ class: className(definition), id, reason }],
    );
    const reasons = leftOut.map((each) => `${each.class} ${showable(each.id, longestPart)}: ${each.reason}`);
    const resources = imported.map(({ class: _class, ...resource }) => resource);
    if (resources.length === 0) {
      throw new Error(["There is nothing to import. No file was written.", ...reasons].join(" "));
    }
    const content = Object.keys(nameTable).length === 0 ? { resources } : { nameTable, resources };
    await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, {
      flag: options.overwrite === true ? "w" : "wx",
    });
    const counts: Record<string, number> = {};
    for (const { class: name } of imported) {
      counts[name] = (counts[name] ?? 0) + 1;
    }
    const next = nextCommands(file);
    const width = Math.max(...Object.keys(counts).map((name) => name.length));
    const lines = [
      ...Object.entries(counts).map(([name, count]) => `${name.padEnd(width)}  ${count}`),
      "",
      `Written: ${file}.`,
      ...(reasons.length === 0 ? [] : ["", "Not imported:", ...reasons.map((reason) => `  ${reason}`)]),
      ...(managers.notice === undefined ? [] : ["", managers.notice]),
      "",
      "Then:",
      ...next.map((command) => `  ${command}`),
      "",
      "The last command imports the objects and writes the program to imported.ts. Add the secrets that services never return to it.",
    ];
    const shown =
      options.json === true
        ? [
            showableJson({
              importFile: file,
              counts,
              resources: imported,
              leftOut,
              next,
              ...(managers.notice === undefined ? {} : { notice: managers.notice }),
            }),
          ]
        : lines.map((line) => showable(line));
    await terminal.print(...shown);
  },
};

/** The provider and the parent, by names for their URNs. */
function placementOf(options: OptionValues) {
  const roles: Record<string, string> = {};
  const nameTable: Record<string, string> = {};
  for (const role of ["provider", "parent"]) {
    const text = textOption(options, role);
    const [, name, urn] = /^([^=]+)=(urn:pulumi:.+)$/s.exec(text ?? "") ?? [];
    if (name !== undefined && urn !== undefined) {
      roles[role] = name;
      nameTable[name] = urn;
    } else if (text !== undefined) {
      throw new UsageError(`--${role} must be NAME=URN, not ${JSON.stringify(text)}.`);
    }
  }
  return { roles, nameTable };
}

interface Managers {
  /** The resource in state that manages an object. */
  readonly find: (candidate: Candidate, settings: ResolvedSettings) => string | undefined;
  /** Why it is not known which objects are managed. */
  readonly notice?: string;
}

/** The stacks of the project in the working directory. */
async function managersOf(signal: AbortSignal): Promise<Managers> {
  if (findProject(process.cwd()) === undefined) {
    return { find: () => undefined };
  }
  try {
    const states = await statesOfStacks(signal);
    const managed = states.flatMap(({ stack, resources }) =>
      resources
        .filter(({ external, delete: isPending }) => external !== true && isPending !== true)
        .map((resource) => ({ stack, resource })),
    );
    return {
      find({ definition, id }, settings) {
        const { type, identity } = definition;
        const tokens: readonly unknown[] = [typeToken(type), pluginToken(type)];
        const canonical = (value: string): string =>
          identity?.canonicalId?.(value, settings.dialect) ?? value;
        const found = managed.find(
          ({ resource: { type: token, id: other, outputs } }) =>
            tokens.includes(token) &&
            canonical(String(other)) === canonical(id) &&
            isObject(outputs) &&
            isSameService(settings, decodeEntry(outputs as JsonObject).service ?? ""),
        );
        const urn = String(found?.resource.urn);
        return (
          found &&
          `the resource "${urn.slice(urn.lastIndexOf("::") + 2)}" of the stack ${found.stack} manages it.`
        );
      },
    };
  } catch (error) {
    const notice = `Objects that a stack manages already were not left out. ${messageOf(error)}`;
    return { find: () => undefined, notice };
  }
}

async function find(
  options: OptionValues,
  terminal: Terminal,
  managers: Managers,
): Promise<readonly Found[]> {
  const signal = terminal.interrupted;
  const caller: Caller = {
    signal,
    progress: () => undefined,
    announce: (_kind, message) => terminal.tell(showable(message)),
  };
  const settings = providerSources(undefined);
  const clientOf = ({ service }: AnyResourceDefinition): never =>
    connect(settings, service).clientFor(caller) as never;
  const list = async (definition: AnyResourceDefinition, name: string, place: string) => {
    const { importedBy } = definition;
    if (importedBy === undefined || ![importedBy.option].flat().includes(name)) {
      return [];
    }
    const option = `--${name} ${place}`.trim();
    try {
      const known = importedBy.known?.(place, name) ?? {};
      const ids = await importedBy.ids(clientOf(definition), place, name);
      return ids.map((id) => ({ definition, id, known, option, named: false }));
    } catch (error) {
      throw about(option, error);
    }
  };
  const read = async (candidate: Candidate): Promise<Found> => {
    const { definition, id, option, known, named } = candidate;
    try {
      const manager = managers.find(candidate, connect(settings, definition.service).settings);
      if (manager !== undefined) {
        return { ...candidate, reason: manager };
      }
      const step = { ...caller, client: clientOf(definition), privateState: {}, managed: new Set<string>() };
      const state = await definition.read(step, id, known);
      if (state === undefined && named) {
        throw new Error(`there is no ${shortName(definition)} ${id}.`);
      }
      return { ...candidate, state: state && { ...known, ...state } };
    } catch (error) {
      if (named || signal.aborted) {
        throw about(option, error);
      }
      return { ...candidate, reason: messageOf(error) };
    }
  };
  const named = listOption(options, "resource").map(namedCandidate);
  const classes = [...collectClasses(library).values()];
  const lists = Object.keys(sources).flatMap((name) => {
    const places = options[name] === true ? [""] : listOption(options, name);
    return places.flatMap((place) => classes.map(({ definition }) => list(definition, name, place)));
  });
  if (lists.length === 0 && named.length === 0) {
    throw new UsageError("No option names what to import.");
  }
  // Several options may select the same object.
  const all = [...(await Promise.all(lists)).flat(), ...named];
  const candidates = new Map(all.map((each) => [`${each.definition.type} ${each.id}`, each]));
  return Promise.all([...candidates.values()].map(read));
}

/** A service that is not configured is not an error of the option. */
function about(option: string, error: unknown): unknown {
  return ConfigurationError.isInstance(error)
    ? forCommandLine(error)
    : new Error(`${option}: ${messageOf(error)}`, { cause: error });
}

/** A unique name of letters in any script, numbers, `.`, `_` and `-`. */
function nameOf(definition: AnyResourceDefinition, state: RemoteState, taken: Set<string>): string {
  const telling = ["roleName", "name", "organization", "issuer", "mount"].map((each) => state[each]);
  const text = telling.find((value) => typeof value === "string" && value !== "");
  const readable = (typeof text === "string" ? text : "")
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, "-")
    .slice(0, 100)
    .replace(/^[-.]+|[-.]+$/g, "");
  const usual = shortName(definition).replace(/^./, (letter) => letter.toLowerCase());
  const wanted = readable === "" ? usual : readable;
  let name = wanted;
  // The CLI generates a variable for each name.
  for (let number = 2; taken.has(name); number++) {
    name = `${wanted}-${number}`;
  }
  taken.add(name);
  return name;
}

function namedCandidate(text: string): Candidate {
  const [, name = "", id = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name === "" || id === "") {
    throw new UsageError(
      `--resource must be CLASS=ID, such as Project=prj-5aKcVVJ1yDLTPFoE, not ${JSON.stringify(text)}.`,
    );
  }
  const classes = [...collectClasses(library).values()];
  const asked = name.replace(/^trivium\./, "");
  const found = classes.find(({ definition }) =>
    [className(definition), shortName(definition)].includes(asked),
  );
  if (found === undefined) {
    const importable = classes.flatMap(({ definition, get }) =>
      get === undefined ? [] : shortName(definition),
    );
    throw new UsageError(
      `--resource: ${JSON.stringify(name)} is not a class that can be imported; expected one of ${importable.join(", ")}.`,
    );
  }
  if (found.get === undefined) {
    throw new UsageError(
      `--resource: ${className(found.definition)} cannot be imported: its service has no request that reads it. ` +
        "Add it to the program as a new resource.",
    );
  }
  return { definition: found.definition, id, known: {}, option: `--resource ${text}`, named: true };
}

function nextCommands(file: string): string[] {
  // Single quotes are safe in every shell, except for themselves.
  const path = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
  const plugin = usesPlugin(findProject(process.cwd())?.text ?? "") ? [] : ["npx pulumi-trivium use-plugin"];
  return [...plugin, `pulumi import -f ${path} --out imported.ts`];
}
