import { readFileSync } from "node:fs";
import { join } from "node:path";
import type ts from "typescript";
import { z } from "zod";
import * as sdk from "../../sdk";
import { type ServiceName, serviceNames, settingsOf } from "../../sdk/base/settings";
import {
  type AnyResourceDefinition,
  className,
  collectClasses,
  definitionIn,
} from "../../sdk/resource/definition";
import { commentOf } from "../docs/comment";
import {
  constructorArguments,
  type Exported,
  formOf,
  type Library,
  readLibrary,
  repository,
} from "../docs/library";
import { plain, type Property, SchemaTypes, tokenOf, type TypeSpec } from "./types";

export const schemaFile = join(repository, "sdk", "plugin", "schema.json");

export function generateSchema(): string {
  const library = readLibrary();
  const types = new SchemaTypes(library);
  const classes = new Map(
    [...collectClasses(sdk).values()].map(({ definition }) => [className(definition), definition] as const),
  );
  const resources: [string, object][] = [];
  const functions: [string, object][] = [];
  for (const namespace of library.namespaces) {
    for (const exported of namespace.classes) {
      const definition = classes.get(exported.name);
      if (definition !== undefined) {
        resources.push([`trivium:${definition.type}`, resourceSpec(types, exported, definition)]);
      }
    }
    for (const exported of namespace.functions) {
      // Functions for scripts only have no output form.
      if (namespace.functions.some(({ shortName }) => shortName === `${exported.shortName}Output`)) {
        functions.push([tokenOf(namespace.name, exported.shortName), functionSpec(types, exported)]);
      }
    }
  }
  const settings = settingProperties(library, types);
  const schema = {
    name: "trivium",
    displayName: "Trivium",
    description: "The provisioning service, the secrets service and the scheduler.",
    ...publication(),
    meta: { moduleFormat: "(.*)" },
    // The programs that `pulumi import` generates import the package by this name.
    language: { nodejs: { packageName: "pulumi-trivium" } },
    config: { variables: settings },
    types: Object.fromEntries([...types.definitions].toSorted(byName)),
    provider: {
      description: "How to reach the services.",
      inputProperties: settings,
    },
    resources: Object.fromEntries(resources.toSorted(byName)),
    functions: Object.fromEntries(functions.toSorted(byName)),
  };
  return `${JSON.stringify(schema, null, 1)}\n`;
}

function publication(): object {
  const manifest = JSON.parse(readFileSync(join(repository, "sdk", "package.json"), "utf8")) as {
    readonly version: string;
    readonly license: string;
    readonly author: string;
    readonly homepage?: string;
    readonly repository?: { readonly url: string };
  };
  const { version, license, author, homepage, repository: source } = manifest;
  return {
    version,
    license,
    publisher: author,
    // Set before the first release.
    ...(homepage === undefined ? {} : { homepage }),
    ...(source === undefined ? {} : { repository: source.url.replace(/^git\+|\.git$/g, "") }),
  };
}

function resourceSpec(types: SchemaTypes, exported: Exported, definition: AnyResourceDefinition): object {
  const { checker } = types.library;
  const args = types.propertiesOf(constructorArguments(types.library, exported), true);
  const outputs = types
    .propertiesOf(checker.getDeclaredTypeOfSymbol(exported.symbol))
    .filter(({ name }) => name in definition.arguments || name in definition.outputs);
  const whole = wholeNumbers(definition);
  const spec = (property: Property): object => {
    const { name, node, description, deprecated } = property;
    const secret = definition.arguments[name]?.secret ?? definition.outputs[name]?.secret ?? false;
    return {
      ...asInteger(types.specOf(node), whole.has(name)),
      description,
      ...(secret ? { secret: true } : {}),
      ...(deprecated === undefined ? {} : { deprecationMessage: plain(deprecated) }),
    };
  };
  const argumentSpec = (property: Property): object => ({
    ...spec(property),
    ...(definition.arguments[property.name]?.replaces === true ? { willReplaceOnChanges: true } : {}),
  });
  return {
    description: plain(commentOf(...exported.declarations).text),
    properties: Object.fromEntries(outputs.map((each) => [each.name, spec(each)])),
    required: namesOfRequired(outputs),
    inputProperties: Object.fromEntries(args.map((each) => [each.name, argumentSpec(each)])),
    requiredInputs: namesOfRequired(args),
    aliases: [{ type: `pulumi-nodejs:dynamic/trivium/${definition.type}` }],
  };
}

function functionSpec(types: SchemaTypes, exported: Exported): object {
  const { checker } = types.library;
  const { args, result } = formOf(exported) ?? {};
  if (args === undefined || result === undefined) {
    throw new Error(`${exported.name} does not name the type of its result.`);
  }
  const objectSpec = (node: ts.TypeNode, areArguments: boolean): object => ({
    type: "object",
    ...types.objectOf(checker.getTypeFromTypeNode(node), areArguments),
  });
  return {
    description: plain(commentOf(...exported.declarations).text),
    inputs: objectSpec(args, true),
    outputs: objectSpec(result, false),
  };
}

/** Integer arguments, which TypeScript does not distinguish from other numbers. */
function wholeNumbers(definition: AnyResourceDefinition): ReadonlySet<string> {
  const fields = Object.entries(definitionIn(definition, "documented").schema(z));
  const isWhole = (field: z.core.$ZodType): boolean =>
    z.toJSONSchema(field, { io: "input", unrepresentable: "any" }).type === "integer";
  return new Set(fields.filter(([, field]) => isWhole(field)).map(([name]) => name));
}

function asInteger(spec: TypeSpec, isWhole: boolean): TypeSpec {
  return isWhole && spec.type === "number" ? { type: "integer" } : spec;
}

function namesOfRequired(properties: readonly Property[]): readonly string[] {
  return properties.filter(({ optional }) => !optional).map(({ name }) => name);
}

function settingProperties(library: Library, types: SchemaTypes): object {
  const specsOf = (type: string): ((argument: string, secret?: boolean) => object) => {
    const exported = library.namespaces
      .flatMap((namespace) => namespace.types)
      .find(({ shortName }) => shortName === type);
    if (exported === undefined) {
      throw new Error(`The library does not export ${type}.`);
    }
    const properties = types.propertiesOf(library.checker.getDeclaredTypeOfSymbol(exported.symbol));
    return (argument, secret = false) => ({
      type: "string",
      description: properties.find(({ name }) => name === argument)?.description ?? "",
      ...(secret ? { secret: true } : {}),
    });
  };
  const nameOf = (service: ServiceName, argument: string): string =>
    `${service}${argument.charAt(0).toUpperCase()}${argument.slice(1)}`;
  const all = serviceNames.flatMap((service) => {
    const spec = specsOf(`${service.charAt(0).toUpperCase()}${service.slice(1)}ConnectionArgs`);
    return settingsOf(service).map(
      ([name, { secret }]) => [nameOf(service, name), spec(name, secret)] as const,
    );
  });
  return Object.fromEntries([...all, ["dialect", specsOf("ProviderArgs")("dialect")]]);
}

function byName([one]: readonly [string, object], [other]: readonly [string, object]): number {
  return one < other ? -1 : 1;
}
