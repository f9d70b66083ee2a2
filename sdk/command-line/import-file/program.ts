import { className } from "./classes";
import type { ImportedObject } from "./import-entry";
import { literal, textLiteral } from "./literal";

const indent = "    ";
const width = 80;

/** The program text that declares imported resources: a module of its own, formatted as formatters do. */
export function programText(objects: readonly ImportedObject[]): string {
  const configured = objects.some(({ secrets }) => secrets.length > 0);
  const head = [
    ...(configured ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
    'import * as trivium from "pulumi-trivium";',
    ...(configured ? ["", "const config = new pulumi.Config();"] : []),
    "",
    "// Pulumi refuses to delete what was imported, until this is false.",
    "const imported = { protect: true };",
  ];
  return `${[head.join("\n"), ...objects.map(declaration)].join("\n\n")}\n`;
}

function declaration(object: ImportedObject): string {
  const { definition, name } = object;
  return [
    `new trivium.${className(definition)}(`,
    `  ${textLiteral(name)},`,
    "  {",
    ...argumentLines(object),
    "  },",
    "  imported,",
    ");",
  ].join("\n");
}

function argumentLines({ definition, plain, secrets, untold }: ImportedObject): string[] {
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
  const comment = `The service does not say these. Add those that are set: ${untold.join(", ")}.`;
  return untold.length === 0 ? lines : [...lines, ...commentLines(comment)];
}

function commentLines(text: string): string[] {
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
