import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { longestPart, showable, showableJson } from "../base/shown-text";
import { type AnyResourceDefinition, className, type RemoteState, shortName } from "../resource/definition";
import { pluginToken } from "../resource/state/encoding";
import { findProject } from "../base/project-file";
import { usesPlugin } from "./adapter/project-file";
import { type Command, type OptionValues, textOption, UsageError } from "./command";
import { find, place, sources } from "./import-file/candidates";
import { managersOf } from "./import-file/managers";

export const importFileCommand: Command = {
  name: "import-file",
  summary: "list existing objects in a file for `pulumi import -f`",
  description: [
    "Reads existing objects from the services and writes their types, names and IDs to a file for `pulumi import -f`. The provider plugin (use-plugin) imports them, and the Pulumi CLI writes the program. Objects that a stack of the project in the working directory already manages are left out; to find them, the command reads the state of all stacks through the Pulumi CLI. It changes nothing in the services. A project can move back to dynamic resources afterwards (use-dynamic).",
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
      throw new UsageError("--out must be a file name.");
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
      "The last command imports the objects and writes the program to imported.ts. Then add the secrets that services never return.",
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

/** The provider and the parent of the objects, as names that the file maps to their URNs. */
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

function nextCommands(file: string): string[] {
  // Single quotes are safe in every shell, except for themselves.
  const path = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
  const plugin = usesPlugin(findProject(process.cwd())?.text ?? "") ? [] : ["npx pulumi-trivium use-plugin"];
  return [...plugin, `pulumi import -f ${path} --out imported.ts`];
}
