import ts from "typescript";
import { commentOf } from "./comment";
import { fieldList, type Page, textFor, typesSection } from "./fields";
import type { Exported } from "./library";
import { type Member, membersOf } from "./member";

/** The services, as the emulator calls them, and the types of what they have. */
const services = [
  {
    name: "provisioning",
    handle: "ProvisioningEmulator",
    setup: "ProvisioningSetup",
    inspection: "ProvisioningInspection",
    tokenOptions: "ProvisioningTokenOptions",
  },
  {
    name: "secrets",
    handle: "SecretsEmulator",
    setup: "SecretsSetup",
    inspection: "SecretsInspection",
    tokenOptions: "SecretsTokenOptions",
  },
  {
    name: "scheduler",
    handle: "SchedulerEmulator",
    setup: "AclSetup",
    inspection: "SchedulerInspection",
    tokenOptions: "SchedulerTokenOptions",
  },
] as const;

type Service = (typeof services)[number];

/** The page of `pulumi-trivium/testing`. */
export function testingPageText(page: Page): string {
  const described = new Set<string>();
  return [
    "# Testing",
    textFor(page, page.library.comment.text),
    `\`\`\`typescript\n${page.library.comment.tag("example") ?? ""}\n\`\`\``,
    "[Test your own programs](../testing.md) shows it with other test runners, with the CLI and with mocks.",
    ...startText(page),
    ...typeText(page, described, "EmulatorSeed", "[The emulator](../emulator.md) has a complete one."),
    ...typeText(page, described, "Emulator"),
    ...typeText(
      page,
      described,
      "ServiceEmulator",
      "The members that all three services have, with `TokenControl`.",
    ),
    ...services.flatMap((service) => serviceText(page, described, service)),
    ...typeText(page, described, "SchedulerEvents", "The type of `emulator.events`."),
    ...typeText(page, described, "Faults", "The type of `emulator.faults`."),
    ...typeText(page, described, "Journal", "The type of `emulator.journal`."),
    ...inspectionText(page, described),
    otherTypes(page, described),
  ].join("\n\n");
}

function startText(page: Page): readonly string[] {
  const start = page.library.namespaces[0]?.functions.find(({ shortName }) => shortName === "startEmulator");
  if (start === undefined) {
    throw new Error("There is no startEmulator.");
  }
  const comment = commentOf(...start.declarations);
  return [
    "## `startEmulator`",
    `${textFor(page, comment.text)} \`startEmulator(options)\` returns a promise of the [\`Emulator\`](#emulator).`,
    fieldList(page, membersOfNamed(page, "EmulatorOptions"), false),
    `**Throws** ${textFor(page, comment.tag("throws") ?? "")}.`,
  ];
}

/** A section about a type. */
function typeText(page: Page, described: Set<string>, name: string, where = ""): readonly string[] {
  described.add(name);
  const said = commentOf(...(typeNamed(page, name).symbol.declarations ?? [])).text;
  return [
    `## \`${name}\``,
    `${where} ${textFor(page, said)}`.trim(),
    fieldList(page, membersOfNamed(page, name), false),
  ];
}

function serviceText(
  page: Page,
  described: Set<string>,
  { name: service, handle, setup, tokenOptions }: Service,
): readonly string[] {
  described.add(handle).add(setup);
  const common = new Set(membersOfNamed(page, "ServiceEmulator").map(({ name }) => name));
  return [
    `## \`${handle}\``,
    `The type of \`emulator.${service}\`. It has the members of [every service](#serviceemulator), with [\`${tokenOptions}\`](#${tokenOptions.toLowerCase()}) for its tokens. The members of \`${setup}\` change objects without a request and without the service's rules, as somebody else would.`,
    ...groups(page, typeNamed(page, handle), described).flatMap(({ name, comment, members }) =>
      members.some((member) => common.has(member.name))
        ? []
        : [`### \`${name}\``, comment, fieldList(page, members, false)],
    ),
  ];
}

function inspectionText(page: Page, described: Set<string>): readonly string[] {
  const { checker } = page.library;
  const inspection = typeNamed(page, "Inspection");
  described.add("Inspection");
  return [
    "## `Inspection`",
    "The result of `emulator.inspect()`, by service: copies, which you can change without effect.",
    ...services.flatMap(({ name, inspection: typeName }) => {
      described.add(typeName);
      const property = inspection.getProperty(name);
      const [declaration] = property?.declarations ?? [];
      if (property === undefined || declaration === undefined) {
        throw new Error(`The inspection has no ${name}.`);
      }
      const type = checker.getTypeOfSymbolAtLocation(property, declaration);
      const parts = groups(page, type, described);
      return [
        `**\`inspection.${name}\`** is a \`${typeName}\`, made of ${parts.map((part) => `\`${part.name}\``).join(", ")}:`,
        fieldList(
          page,
          parts.flatMap(({ members }) => members),
          false,
        ),
      ];
    }),
  ];
}

/** The members of a type that is put together from several, in the groups in which they are declared. */
function groups(
  page: Page,
  type: ts.Type,
  described: Set<string>,
): readonly { readonly name: string; readonly comment: string; readonly members: readonly Member[] }[] {
  const { checker } = page.library;
  const names = new Map<ts.Node, Set<string>>();
  for (const { name, declarations = [] } of checker.getPropertiesOfType(type)) {
    for (const { parent } of declarations.slice(0, 1)) {
      names.set(parent, (names.get(parent) ?? new Set()).add(name));
    }
  }
  const members = membersOf(checker, type, { nullable: true });
  return [...names].map(([declaration, own]) => {
    const name = ts.isInterfaceDeclaration(declaration) ? declaration.name.text : "";
    described.add(name);
    return {
      name,
      comment: textFor(page, commentOf(declaration).text),
      members: members.filter((member) => own.has(member.name)),
    };
  });
}

/** What has no section of its own, also what nothing above names. */
function otherTypes(page: Page, described: ReadonlySet<string>): string {
  const symbols = new Set([...page.types, ...typesOf(page).map(({ symbol }) => symbol)]);
  page.types.clear();
  for (const symbol of [...symbols].toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (!described.has(symbol.name)) {
      page.types.add(symbol);
    }
  }
  return typesSection(page, described);
}

function typesOf(page: Page): readonly Exported[] {
  return page.library.namespaces[0]?.types ?? [];
}

function typeNamed(page: Page, name: string): ts.Type {
  const found = typesOf(page).find(({ shortName }) => shortName === name);
  if (found === undefined) {
    throw new Error(`There is no type ${name}.`);
  }
  return page.library.checker.getDeclaredTypeOfSymbol(found.symbol);
}

function membersOfNamed(page: Page, name: string): readonly Member[] {
  return membersOf(page.library.checker, typeNamed(page, name), { nullable: true });
}
