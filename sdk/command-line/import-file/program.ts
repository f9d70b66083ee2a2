import { className } from "./classes";
import type { ImportedObject } from "./import-entry";
import { literal, textLiteral } from "./literal";
import type { Placement } from "./placement";

const step = "  ";
const width = 80;

/**
 * The program text that declares imported resources: a module of its own, formatted as formatters do. Resources that
 * belong to a provider or a parent are declared by a function that is given both.
 */
export function programText(objects: readonly ImportedObject[], placement: Placement = {}): string {
  const configured = objects.some(({ secrets }) => secrets.length > 0);
  const { provider, parent } = placement;
  const isPlaced = provider !== undefined || parent !== undefined;
  const imports = [
    ...(configured || parent !== undefined ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
    'import * as trivium from "pulumi-trivium";',
    ...(configured ? ["", "const config = new pulumi.Config();"] : []),
  ];
  const protect = "// Pulumi refuses to delete the imported resources until this is false.";
  if (!isPlaced) {
    const head = [...imports, "", protect, "const imported = { protect: true };"];
    return `${[head.join("\n"), ...objects.map((object) => declaration(object, ""))].join("\n\n")}\n`;
  }
  const head = [
    ...imports,
    "",
    "/** Declares the imported resources. Call it once, with the provider or parent that they were imported with. */",
    "export function declareImported(options: {",
    ...(provider === undefined ? [] : [`${step}provider: trivium.Provider;`]),
    ...(parent === undefined ? [] : [`${step}parent: pulumi.Resource;`]),
    "}): void {",
    `${step}${protect}`,
    `${step}const imported = { ...options, protect: true };`,
  ];
  return `${[head.join("\n"), ...objects.map((object) => declaration(object, step))].join("\n\n")}\n}\n`;
}

function declaration(object: ImportedObject, margin: string): string {
  const { definition, name } = object;
  return [
    `${margin}new trivium.${className(definition)}(`,
    `${margin}  ${textLiteral(name)},`,
    `${margin}  {`,
    ...argumentLines(object, `${margin}    `),
    `${margin}  },`,
    `${margin}  imported,`,
    `${margin});`,
  ].join("\n");
}

function argumentLines({ definition, plain, secrets, untold }: ImportedObject, indent: string): string[] {
  const expressions = new Map<string, (before: number) => string>([
    ...Object.entries(plain).map(
      ([name, value]) => [name, (before: number) => literal(value, indent, before)] as const,
    ),
    ...secrets.map(({ argument, key, optional }) => {
      const method = optional ? "getSecret" : "requireSecret";
      return [argument, () => `config.${method}(${textLiteral(key)})`] as const;
    }),
  ]);
  const lines = Object.keys(definition.arguments).flatMap((name) => {
    const expression = expressions.get(name);
    const start = `${indent}${name}: `;
    return expression === undefined ? [] : [`${start}${expression(start.length)},`];
  });
  const comment = `The service does not return these arguments. Add those that are set: ${untold.join(", ")}.`;
  return untold.length === 0 ? lines : [...lines, ...commentLines(comment, indent)];
}

function commentLines(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && longer.length <= width) {
      lines[lines.length - 1] = longer;
    } else {
      lines.push(`${indent}// ${word}`);
    }
  }
  return lines;
}
