import * as pulumi from "@pulumi/pulumi";
import { adapter, warnOfConfiguration } from "../../connection/program";
import { internalsOf, skipLeakStacks, tokenOf } from "../../engine/program";
import { type JsonObject, mapped } from "../../base/json";
import { type AnyResourceDefinition, className, deletedFirst, outputNames, shortName } from "../definition";
import { encodeRun, hiddenInputs, pluginToken, providerStub, typeToken } from "../state/encoding";
import { secretNames } from "../state/entry";
import { version } from "@pulumi/pulumi/version";
import { TriviumError, InputError, succeeds } from "../../base/errors";
import { configurationKey } from "../../base/settings";
import { showable } from "../../base/shown-text";
import { createRequire } from "node:module";
import { join } from "node:path";

const ownState = (): typeof import("./own-state") => require("./own-state") as typeof import("./own-state");

/** Base class of all resources. A dynamic one also passes a constant provider text. */
export abstract class TriviumResource<Args extends object> extends pulumi.CustomResource {
  /** @internal */
  static readonly definition: AnyResourceDefinition;

  /** Whether a value is an instance of this class, including one from another copy of the package. */
  static override isInstance<Class extends { readonly prototype: pulumi.CustomResource }>(
    this: Class,
    value: unknown,
  ): value is Class["prototype"] {
    const { type } = (this as unknown as typeof TriviumResource).definition;
    const token = tokenOf(value);
    return (
      pulumi.CustomResource.isInstance(value) && (token === typeToken(type) || token === pluginToken(type))
    );
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args its arguments
   * @throws {@link errors.InputError} if an option cannot work, such as `import`
   */
  constructor(name: string, args: Args, options: pulumi.CustomResourceOptions = {}) {
    const { definition } = new.target;
    const given: pulumi.Inputs = { ...args };
    const isDynamic = adapter() === "dynamic";
    if (isDynamic) {
      assertProviderResolves();
    }
    assertOptionsWork(definition, name, options, "get" in new.target, isDynamic);
    const tokens = [typeToken(definition.type), pluginToken(definition.type)] as const;
    const [token, formerToken] = isDynamic ? tokens : ([tokens[1], tokens[0]] as const);
    // With an id, an existing object is read, not managed.
    const managed = options.id === undefined;
    // The plugin's calls say these.
    const ownIdentity = managed &&
      isDynamic && {
        urn: urnOf(name, token, options.parent),
        secrets: markedSecrets(definition, given),
      };
    const restore = skipLeakStacks();
    try {
      super(
        token,
        name,
        {
          // Names all outputs, so that the instance gets their values from the engine.
          ...Object.fromEntries(outputNames(definition).map((name) => [name, undefined])),
          ...(managed && inputsOf(definition, given)),
          ...(managed && hiddenInputs({ run: runOf(definition, name, given, options), ...ownIdentity })),
          ...(isDynamic && { __provider: providerStub(definition.type) }),
        },
        pulumi.mergeOptions(
          // For `pulumi up --replace`: it takes the order of deletion from the program, not from the provider.
          isDeletedFirst(definition, given) ? { deleteBeforeReplace: true } : {},
          pulumi.mergeOptions(options, {
            additionalSecretOutputs: secretNames(definition),
            // Keeps the resource when the project switches the adapter.
            aliases: managed ? [aliasOf(name, formerToken, options.parent)] : [],
          }),
        ),
      );
    } finally {
      restore();
    }
    if (isDynamic) {
      warnOfOptions(definition, name, options);
    }
    const warnsOfRenames = "adopt" in definition.arguments;
    if (managed && (isDynamic || warnsOfRenames || definition.inherits !== undefined)) {
      ownState().prepareToRead();
    }
    if (isDynamic && managed && pulumi.runtime.isDryRun()) {
      // Only previews need this module.
      const { foresee } = require("./foresight") as typeof import("./foresight");
      foresee(this, definition, given);
    }
    if (managed && warnsOfRenames && pulumi.runtime.isDryRun()) {
      const { warnOfRename } = require("./renames") as typeof import("./renames");
      // A plan without the warning is better than none.
      void warnOfRename(this, definition, name, given).catch(() => undefined);
    }
    warnOfConfiguration();
  }
}

/** Base class of the resources that can be read by their ids. */
export abstract class ReadableResource<Args extends object> extends TriviumResource<Args> {
  /**
   * Reads an existing object without managing it: it is never changed or deleted. The page of the class says what its
   * id is.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the id of the object
   * @throws {@link errors.TriviumError} if the program uses an SDK older than 3.268.0
   */
  static get<Resource extends pulumi.CustomResource>(
    this: new (name: string, args: never, options?: pulumi.CustomResourceOptions) => Resource,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): Resource {
    if (adapter() === "dynamic") {
      assertGetSupported(className((this as unknown as typeof TriviumResource).definition));
    }
    return new this(name, {} as never, { ...options, id });
  }
}

// Must not depend on the parent: that depends on all its children, and siblings that use each other would deadlock.
function urnOf(name: string, type: string, parent: pulumi.Resource | undefined): string | Promise<string> {
  // Same as createUrn, without its promises for each of many resources.
  return parent === undefined
    ? plainUrn(name, type)
    : internalsOf(pulumi.createUrn(name, type, parent)).promise();
}

function plainUrn(name: string, type: string): string {
  return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
}

function aliasOf(name: string, type: string, parent: pulumi.Resource | undefined): string | pulumi.Alias {
  // A string where possible, because the SDK derives the URN of an alias object with promises.
  return parent === undefined ? plainUrn(name, type) : { type };
}

function runOf(
  definition: AnyResourceDefinition,
  name: string,
  args: pulumi.Inputs,
  { ignoreChanges = [], replaceOnChanges = [], parent }: pulumi.CustomResourceOptions,
): unknown {
  const options = {
    ignored: ignoreChanges.map((path) => path.split(/[.[]/, 1)[0] ?? path),
    followsProvider: replaceOnChanges.some((path) => path === "*" || path === "provider"),
    ...(definition.ending && {
      phase: pulumi.runtime.isDryRun() ? ("preview" as const) : ("update" as const),
    }),
  };
  if (definition.inherits === undefined) {
    return encodeRun({ ...options, inherited: [] });
  }
  return ownState()
    .inheritedStates(definition, args, urnOf(name, typeToken(definition.type), parent))
    .then((inherited) => encodeRun({ ...options, inherited }));
}

function inputsOf(definition: AnyResourceDefinition, args: pulumi.Inputs): pulumi.Inputs {
  return mapped<unknown, unknown>(args, (value, name) => {
    const isSecret = definition.arguments[name]?.secret === true && (value ?? null) !== null;
    return isSecret ? pulumi.secret(value) : value;
  });
}

/**
 * The provider receives all values in clear text and needs the names of the program's own secrets for redaction.
 *
 * @returns `undefined` if there can be none: each property costs time, and plain values cannot be secret
 */
function markedSecrets(definition: AnyResourceDefinition, args: pulumi.Inputs) {
  const others = Object.entries(args).filter(
    ([name, value]: [string, unknown]) =>
      definition.arguments[name]?.secret !== true && typeof value === "object" && value !== null,
  );
  if (others.length === 0) {
    return undefined;
  }
  const marked = others.map(async ([name, value]: [string, unknown]) => {
    // A rejected argument is reported where it is used.
    const secret = await pulumi.isSecret(pulumi.output(value)).catch(() => false);
    return secret ? [name] : [];
  });
  return pulumi.output(
    Promise.all(marked).then((names) => (names.flat().length > 0 ? names.flat() : undefined)),
  );
}

// Older SDKs crash in the engine's provider process, without a message, when they read an object by its id.
const oldestMinor = 268;
const oldest = `3.${oldestMinor}.0`;

/** @internal */
export function assertGetSupported(className: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 3 && minor < oldestMinor) {
    throw new TriviumError(
      `${className}.get requires @pulumi/pulumi ${oldest} or later, but this program uses ${version}. ` +
        `Run \`npm install @pulumi/pulumi@^${oldest}\`: without a version, npm installs an older one on Node.js 20. ` +
        "The rest of pulumi-trivium works with your version.",
    );
  }
}

/**
 * To import a dynamic resource, the engine calls its provider with only the id, and the process would crash.
 *
 * @internal
 */
export function assertOptionsWork(
  definition: AnyResourceDefinition,
  name: string,
  options: pulumi.CustomResourceOptions,
  readable: boolean,
  isDynamic: boolean,
): void {
  if (options.import === undefined || (readable && !isDynamic)) {
    return;
  }
  const what = shortName(definition);
  const ways = [
    readable && "use the provider plugin for the import: `npx pulumi-trivium use-plugin`",
    definition.arguments.adopt && "adopt the existing object with the argument `adopt: true`",
  ].filter(Boolean);
  const instead =
    ways.length === 0 ? `: objects of ${what} cannot be imported` : ` and ${ways.join(", or ")}`;
  throw new InputError(
    `The option \`import\` of the ${what} "${name}" is not supported${isDynamic ? " for a dynamic resource" : ""}. Remove it${instead}.`,
  );
}

/** @internal */
export function warnOfOptions(
  definition: AnyResourceDefinition,
  name: string,
  { customTimeouts }: pulumi.CustomResourceOptions,
): void {
  if (customTimeouts === undefined) {
    return;
  }
  const { service } = definition;
  const setting = `the setting \`requestTimeout\` (${configurationKey(service.name, "requestTimeout")})`;
  const wait = ["timeout", "waitFor", "verification.timeout"].find(
    (path) => (path.split(".")[0] ?? path) in definition.arguments,
  );
  const instead =
    wait === undefined
      ? `Use ${setting}, which limits the time of each request.`
      : `Use the argument \`${wait}\` to limit the wait, and ${setting} to limit the time of each request.`;
  void pulumi.log.warn(
    showable(
      `The option \`customTimeouts\` of the ${shortName(definition)} "${name}" has no effect: the engine does ` +
        `not pass it to dynamic resources. ${instead}`,
    ),
  );
}

let checked = false;

/** The modules that the engine's provider process loads, by package. */
const loaded = {
  "pulumi-trivium": "pulumi-trivium/dynamic",
  "@pulumi/pulumi": "@pulumi/pulumi/cmd/dynamic-provider",
};

/**
 * The provider process resolves the library from the working directory. A strict package manager may hide it there, or
 * the project may use another language. The process itself can only report a missing module.
 *
 * @internal
 */
export function assertProviderResolves(): void {
  // Only the language host runs a program in the directory where the engine starts providers.
  if (checked || !/[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run/.test(require.main?.filename ?? "")) {
    return;
  }
  // This module's own `require` always finds its own package.
  const { resolve } = createRequire(join(process.cwd(), "index.js"));
  const missing = Object.entries(loaded).flatMap(([name, path]) =>
    succeeds(() => resolve(path)) ? [] : [name],
  );
  if (missing.length > 0) {
    const packages = missing.join(" ");
    const error = new TriviumError(
      `${missing.join(" and ")} cannot be found from ${process.cwd()}, where the engine looks it up to manage ` +
        "resources. A dependency of the project includes it, but the deployed project must depend on it itself: run " +
        `\`npm install ${packages}\` (or \`pnpm add ${packages}\`) there.`,
    );
    // The SDK prints no stack trace for an error with this property.
    throw Object.assign(error, { __pulumiRunError: true });
  }
  checked = true;
}

function isDeletedFirst(definition: AnyResourceDefinition, given: pulumi.Inputs): boolean {
  // Of an argument that is an output, only its presence is known yet.
  const present = (value: unknown): unknown => (pulumi.Output.isInstance(value) ? true : value);
  const isFirst = deletedFirst(definition, () => mapped(given, present) as JsonObject);
  return Boolean(isFirst ?? definition.find !== undefined);
}
