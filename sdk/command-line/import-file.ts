import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { Caller } from "../base/caller";
import { ConfigurationError, messageOf } from "../base/errors";
import { longestPart, showable, showableJson } from "../base/shown-text";
import { connect } from "../connection/connect";
import { providerSources } from "../connection/sources";
import * as library from "../index";
import type { AnyResourceDefinition, ImportSource, RemoteState } from "../resource/definition";
import { className, collectClasses, collectDefinitions, shortName } from "../resource/registry";
import { pluginToken } from "../resource/state/protocol";
import { findProject } from "./adapter/project";
import { usesPlugin } from "./adapter/project-file";
import {
  type Command,
  forCommandLine,
  listOption,
  type OptionValues,
  textOption,
  UsageError,
} from "./command";
import type { Terminal } from "./terminal";

const places = {
  organization: ["NAME", "the projects of an organization"],
  "admin-organization": ["NAME", "an organization's settings and module consumers, for site administrators"],
  workspace: ["ID", "the notification configurations of a workspace"],
  directory: ["MOUNT", "a directory engine: its configuration, static roles and library sets"],
  scheduler: ["MOUNT", "a scheduler engine: its access and lease configurations and its roles"],
} as const;
const switches = { "entity-aliases": "all entity aliases", mfa: "all TOTP methods" } as const;

export type SourceOption = keyof typeof places | keyof typeof switches;

export const sourceOptions: readonly SourceOption[] = [...namesOf(places), ...namesOf(switches)];

export function sourcesOf(
  option: SourceOption,
): readonly { readonly definition: AnyResourceDefinition; readonly importedBy: ImportSource<never> }[] {
  return [...collectDefinitions(library).values()].flatMap((definition) => {
    const { importedBy } = definition;
    return importedBy?.option === option ? [{ definition, importedBy }] : [];
  });
}

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

type Found = Candidate & ({ readonly state: RemoteState } | { readonly reason: string });

export const importFileCommand: Command = {
  name: "import-file",
  summary: "write the file for `pulumi import -f` for existing objects",
  description: [
    "Reads existing objects from the services and writes their types, names and ids to a file for `pulumi import -f`. The provider plugin (use-plugin) imports them, and the Pulumi CLI writes the program. Nothing is changed in the services. A project can move back to dynamic resources afterwards (use-dynamic).",
  ],
  options: {
    ...Object.fromEntries(
      Object.entries(places).map(([name, [placeholder, meaning]]) => [
        name,
        { type: "string", multiple: true, placeholder, meaning },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(switches).map(([name, meaning]) => [name, { type: "boolean", meaning }]),
    ),
    resource: {
      type: "string",
      multiple: true,
      placeholder: "CLASS=ID",
      meaning: "one object, such as DynamicRole=ldap/operators or PushMethod=push, which cannot be listed",
    },
    provider: {
      type: "string",
      placeholder: "NAME=URN",
      meaning:
        "the trivium.Provider for the imported resources, with the name of its variable; the environment must configure the same services",
    },
    parent: {
      type: "string",
      placeholder: "NAME=URN",
      meaning: "the parent of the imported resources, such as a component, with the name of its variable",
    },
    out: { type: "string", placeholder: "FILE", meaning: "the file (default: imports.json)" },
    overwrite: { type: "boolean", meaning: "overwrite an existing file" },
    json: { type: "boolean", meaning: "print the result as JSON" },
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
    const placement = placementOf(options);
    const named = (listOption(options, "resource") ?? []).map(namedCandidate);
    const found = await find(options, named, terminal).catch((error: unknown) => {
      throw forCommandLine(causeOf(error));
    });
    const leftOut = found.flatMap(({ definition, id, ...each }) =>
      "reason" in each ? [{ definition, id, reason: each.reason }] : [],
    );
    const { nameTable, roles } = placement;
    const names = new Set(Object.keys(nameTable));
    const entries = found.flatMap(({ definition, id, ...each }) =>
      "state" in each ? [{ definition, name: nameOf(definition, each.state, names), id }] : [],
    );
    if (entries.length === 0) {
      const reasons = leftOut.map(({ id, reason }) => ` ${showable(id, longestPart)}: ${reason}`);
      throw new Error(`There is nothing to import. No file was written.${reasons.join("")}`);
    }
    const resources = entries.map(({ definition, name, id }) => ({
      type: pluginToken(definition.type),
      name,
      id,
      ...roles,
    }));
    const content = Object.keys(nameTable).length === 0 ? { resources } : { nameTable, resources };
    await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, {
      flag: options.overwrite === true ? "w" : "wx",
    });
    const counts = new Map<string, number>();
    for (const name of entries.map(({ definition }) => className(definition))) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const next = nextCommands(file);
    const classed = <Item extends { readonly definition: AnyResourceDefinition }>(items: readonly Item[]) =>
      items.map(({ definition, ...each }) => ({ class: className(definition), ...each }));
    const data = { resources: classed(entries), leftOut: classed(leftOut), next };
    const width = Math.max(...[...counts.keys()].map((name) => name.length));
    const lines = [
      ...[...counts].map(([name, count]) => `${name.padEnd(width)}  ${count}`),
      ...["", `Written: ${file}.`],
      ...(leftOut.length === 0 ? [] : ["", "Not imported:"]),
      ...leftOut.map(
        ({ definition, id, reason }) => `  ${shortName(definition)} ${showable(id, longestPart)}: ${reason}`,
      ),
      ...["", "Then:", ...next.map((command) => `  ${command}`), ""],
      "The last command imports the objects and writes the program to imported.ts. Add the secrets that services never return to it.",
    ];
    const shown =
      options.json === true
        ? [showableJson({ importFile: file, counts: Object.fromEntries(counts), ...data })]
        : lines.map((line) => showable(line));
    for (const line of shown) {
      await terminal.print(line);
    }
  },
};

function placementOf(options: OptionValues): {
  readonly roles: Readonly<Record<string, string>>;
  readonly nameTable: Readonly<Record<string, string>>;
} {
  const given = ["provider", "parent"].flatMap((role) => {
    const text = textOption(options, role);
    const [, name = "", urn = ""] = /^([^=]+)=(urn:pulumi:.+)$/s.exec(text ?? "") ?? [];
    if (text !== undefined && urn === "") {
      throw new UsageError(`--${role} must be NAME=URN, not ${JSON.stringify(text)}.`);
    }
    return text === undefined ? [] : [{ role, name, urn }];
  });
  return {
    roles: Object.fromEntries(given.map(({ role, name }) => [role, name])),
    nameTable: Object.fromEntries(given.map(({ name, urn }) => [name, urn])),
  };
}

async function find(
  options: OptionValues,
  named: readonly Candidate[],
  terminal: Terminal,
): Promise<readonly Found[]> {
  const signal = terminal.interrupted;
  // Each request adds a listener, and all run at once.
  setMaxListeners(0, signal);
  const caller: Caller = {
    signal,
    progress: () => undefined,
    announce: (_kind, message) => terminal.tell(showable(message)),
  };
  const wholes = sourceOptions.flatMap((option) =>
    option in switches
      ? options[option] === true
        ? [{ option, place: "", written: `--${option}` }]
        : []
      : (listOption(options, option) ?? []).map((place) => ({
          option,
          place,
          written: `--${option} ${place}`,
        })),
  );
  if (wholes.length === 0 && named.length === 0) {
    throw new UsageError("No option names what to import.");
  }
  const sources = providerSources(undefined);
  const clientOf = ({ service }: AnyResourceDefinition): never =>
    connect(sources, service).clientFor(caller) as never;
  const lists = wholes.flatMap(({ option, place, written }) =>
    sourcesOf(option).map(async ({ definition, importedBy }) => {
      const known = importedBy.known?.(place) ?? {};
      try {
        const ids = await importedBy.ids(clientOf(definition), place);
        return ids.map((id): Candidate => ({ definition, id, known, option: written, named: false }));
      } catch (error) {
        throw saying(written, error);
      }
    }),
  );
  const read = async (candidate: Candidate): Promise<Found[]> => {
    const { definition, id, option, known, named } = candidate;
    try {
      const step = { ...caller, client: clientOf(definition), memory: {}, managed: new Set<string>() };
      const state = await definition.read(step, id, known);
      if (state === undefined && named) {
        throw new Error(`there is no ${shortName(definition)} ${id}.`);
      }
      return state === undefined ? [] : [{ ...candidate, state: { ...known, ...state } }];
    } catch (error) {
      if (named || signal.aborted) {
        throw saying(option, error);
      }
      return [{ ...candidate, reason: messageOf(error) }];
    }
  };
  // Several options may select the same object.
  const all = [...(await Promise.all(lists)).flat(), ...named];
  const candidates = [...new Map(all.map((each) => [`${each.definition.type} ${each.id}`, each])).values()];
  return (await Promise.all(candidates.map(read))).flat();
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
  if (found?.get === undefined) {
    const importable = classes.filter((each) => each.get !== undefined);
    const names = importable.map(({ definition }) => shortName(definition)).join(", ");
    throw new UsageError(
      found === undefined
        ? `--resource: ${JSON.stringify(name)} is not a class that can be imported; expected one of ${names}.`
        : `--resource: ${className(found.definition)} cannot be imported: its service has no request that reads it. ` +
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

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

function saying(option: string, error: unknown): Error {
  return new Error(`${option}: ${messageOf(error)}`, { cause: error });
}

/** A service that is not configured is not an error of the option. */
function causeOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return ConfigurationError.isInstance(cause) ? cause : error;
}
