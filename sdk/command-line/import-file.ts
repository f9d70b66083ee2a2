import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, parse, resolve } from "node:path";
import { ConfigurationError } from "../base/errors";
import { longestPart, showable, showableJson } from "../base/shown-text";
import type { Caller } from "../base/caller";
import type { Adapter } from "../base/settings";
import { findProject } from "./adapter/project";
import { usesPlugin } from "./adapter/project-file";
import {
  type Command,
  type CommandOption,
  forCommandLine,
  listOption,
  type OptionValues,
  textOption,
  UsageError,
} from "./command";
import { importableClass } from "./import-file/classes";
import { type Candidate, type LeftOut, Services } from "./import-file/find";
import { type ImportedObject, importFileText, ResourceNaming } from "./import-file/import-entry";
import { placementOf } from "./import-file/placement";
import { programText } from "./import-file/program";
import { reportData, reportLines } from "./import-file/report";
import type { SourceOption } from "./import-file/sources";
import type { Terminal } from "./terminal";

/** The options that name a place whose objects to import. */
const places = {
  organization: ["NAME", "the projects of an organization"],
  "admin-organization": ["NAME", "an organization's settings and module consumers, for site administrators"],
  workspace: ["ID", "the notification configurations of a workspace"],
  directory: ["MOUNT", "a directory engine: its configuration, static roles and library sets"],
  scheduler: ["MOUNT", "a scheduler engine: its access and lease configurations and its roles"],
} as const satisfies Readonly<Partial<Record<SourceOption, readonly [string, string]>>>;
/** Those that need no name. */
const switches = {
  "entity-aliases": "all entity aliases",
  mfa: "all TOTP methods",
} as const satisfies Readonly<Partial<Record<SourceOption, string>>>;

/** Writes the files to import existing objects. */
export const importFileCommand: Command = {
  name: "import-file",
  summary: "write the file for `pulumi import -f`, and the program, for existing objects",
  description: [
    "Reads existing objects from the services and writes two files: one for `pulumi import -f`, which imports them into the state of a stack, and a program that declares them, so that the next preview shows no changes. Nothing is changed in the services.",
  ],
  options: {
    ...optionsOf(places, ([placeholder, meaning]) => ({
      type: "string",
      multiple: true,
      placeholder,
      meaning,
    })),
    ...optionsOf(switches, (meaning) => ({ type: "boolean", meaning })),
    resource: {
      type: "string",
      multiple: true,
      placeholder: "CLASS=ID",
      meaning: "one object, such as DynamicRole=ldap/operators or PushMethod=push, which cannot be listed",
    },
    provider: {
      type: "string",
      placeholder: "NAME|URN",
      meaning:
        "the trivium.Provider of the selected stack for the imported resources; the environment must configure the same services",
    },
    parent: {
      type: "string",
      placeholder: "NAME|URN",
      meaning: "the parent of the imported resources in the selected stack, such as a component",
    },
    out: {
      type: "string",
      placeholder: "FILE",
      meaning: "the file for `pulumi import` (default: imports.json)",
    },
    program: { type: "string", placeholder: "FILE", meaning: "the program (default: imported.ts)" },
    overwrite: { type: "boolean", meaning: "overwrite existing files" },
    json: { type: "boolean", meaning: "print the result as JSON" },
  },
  notes: [
    "Settings come from PROVISIONING_ADDR, PROVISIONING_TOKEN, SECRETS_ADDR, SECRETS_TOKEN and related variables. Neither file contains secrets: the program reads them from the stack configuration, and the command lists the keys. Set them before the import: for secrets that the service never returns, the refresh after the import assumes that the service has these values.",
    "In a project that uses the plugin (use-plugin), the file only contains types, names and ids: the plugin reads the objects during the import, and no refresh is required.",
    "--provider and --parent take a URN, NAME=URN as `pulumi import` does, or a name, which the Pulumi CLI looks up in the selected stack of the working directory. Both must already be in the state of the stack. The program is then a function that takes them as arguments.",
  ],
  examples: [
    "npx pulumi-trivium import-file --organization acme --workspace ws-4jYzgpqCuGAG3mCt",
    "npx pulumi-trivium import-file --directory ldap --resource DynamicRole=ldap/operators",
    "npx pulumi-trivium import-file --organization acme --provider europe --parent platform",
    "npx pulumi-trivium import-file --resource Project=prj-5aKcVVJ1yDLTPFoE --out project-import.json --program project.ts",
  ],

  async run(options, terminal) {
    const importFile = fileOption(options, "out", "imports.json");
    const programFile = fileOption(options, "program", "imported.ts");
    assertDifferentModules(importFile, programFile);
    const named = (listOption(options, "resource") ?? []).map(candidateOf);
    const adapter: Adapter = usesPlugin(findProject(process.cwd())?.text ?? "") ? "plugin" : "dynamic";
    const placement = await placementOf(options, adapter, terminal.interrupted);
    const { objects, leftOut } = await find(options, named, terminal).catch((error: unknown) => {
      throw forCommandLine(causeOf(error));
    });
    if (objects.length === 0) {
      const reasons = leftOut.map(({ id, reason }) => ` ${showable(id, longestPart)}: ${reason}`);
      throw new Error(`There is nothing to import. No file was written.${reasons.join("")}`);
    }
    const flag = options.overwrite === true ? "w" : "wx";
    await writeFile(importFile, importFileText(objects, placement, adapter), { flag });
    await writeFile(programFile, programText(objects, placement), { flag });
    const report = { objects, leftOut, importFile, programFile, placement, adapter };
    const lines =
      options.json === true
        ? [showableJson(reportData(report))]
        : reportLines(report).map((line) => showable(line));
    for (const line of lines) {
      await terminal.print(line);
    }
  },
};

async function find(
  options: OptionValues,
  named: readonly Candidate[],
  terminal: Terminal,
): Promise<{ objects: readonly ImportedObject[]; leftOut: readonly LeftOut[] }> {
  // Each request listens, and all of them are made at once.
  setMaxListeners(0, terminal.interrupted);
  const caller: Caller = {
    signal: terminal.interrupted,
    progress: () => undefined,
    announce: (_kind, message) => terminal.tell(showable(message)),
  };
  const services = new Services(caller);
  const wholes = [
    ...namesOf(places).flatMap((option) =>
      (listOption(options, option) ?? []).map((place) => ({
        option,
        place,
        written: `--${option} ${place}`,
      })),
    ),
    ...namesOf(switches)
      .filter((option) => options[option] === true)
      .map((option) => ({ option, place: "", written: `--${option}` })),
  ];
  if (wholes.length === 0 && named.length === 0) {
    throw new UsageError("No option names what to import.");
  }
  const lists = await Promise.all(
    wholes.map(({ option, place, written }) => services.candidates(option, place, written)),
  );
  const read = await Promise.all(once([...lists.flat(), ...named]).map((each) => services.read(each)));
  const naming = new ResourceNaming();
  const results = read
    .filter((each) => each !== undefined)
    .map((each) => ("values" in each ? naming.resourceOf(each) : each));
  return {
    objects: results.filter((each) => "entry" in each),
    leftOut: results.filter((each) => "reason" in each),
  };
}

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

function optionsOf<Name extends string, Row>(
  table: Readonly<Record<Name, Row>>,
  option: (row: Row) => CommandOption,
): Record<string, CommandOption> {
  return Object.fromEntries(namesOf(table).map((name) => [name, option(table[name])]));
}

/** An object that several options name is one. */
function once(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((each) => [`${each.definition.type} ${each.id}`, each])).values()];
}

function candidateOf(text: string): Candidate {
  const [, name = "", id = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name === "" || id === "") {
    throw new UsageError(
      `--resource must be CLASS=ID, such as Project=prj-5aKcVVJ1yDLTPFoE, not ${JSON.stringify(text)}.`,
    );
  }
  const definition = importableClass(name, "--resource");
  return { definition, id, known: {}, option: `--resource ${text}`, named: true };
}

function fileOption(options: OptionValues, name: string, usual: string): string {
  const file = textOption(options, name) ?? usual;
  if (file === "") {
    throw new UsageError(`--${name} must be the name of a file.`);
  }
  if (options.overwrite !== true && existsSync(file)) {
    throw new UsageError(`--${name}: ${file} already exists. Name another file, or use --overwrite.`);
  }
  return file;
}

/** Node looks for a JSON file first: `import "./project"` would load it instead of the program text. */
function assertDifferentModules(importFile: string, programFile: string): void {
  const [first, second] = [importFile, programFile].map((file) => {
    const { dir, name } = parse(resolve(file));
    return join(dir, name);
  });
  if (first === second) {
    throw new UsageError(
      `--program: ${programFile} and ${importFile} must have different names without their extensions: Node would load ${importFile} instead.`,
    );
  }
}

/** That a service is not configured concerns no option. */
function causeOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return ConfigurationError.isInstance(cause) ? cause : error;
}
