import * as pulumi from "@pulumi/pulumi";
import { adapter } from "../../connection/adapter";
import { warnOfUnknownKeys } from "../../connection/unknown-keys";
import { type AnyResourceDefinition, deletesFirst } from "../definition";
import { hiddenKeys } from "../state/hidden";
import { assertOptionsWork, warnOfOptions } from "./options";
import { secretNames } from "../state/outputs";
import { assertProviderResolves } from "./resolves";
import { runInput } from "./run-options";
import { pluginToken, providerStub, typeToken } from "../state/stub";
import { shortUrn } from "../state/urn";
import { version } from "@pulumi/pulumi/version";
import { TriviumError } from "../../base/errors";

/** The base of all resources: a custom resource, with a constant provider text if it is a dynamic one. */
export abstract class TriviumResource extends pulumi.CustomResource {
  /** @internal */
  static readonly definition: AnyResourceDefinition;

  /** Whether a value is an instance of this class, including one from another copy of the package. */
  static override isInstance<Class extends { readonly prototype: pulumi.CustomResource }>(
    this: Class,
    value: unknown,
  ): value is Class["prototype"] {
    const { type } = (this as unknown as typeof TriviumResource).definition;
    const { __pulumiType: token } = Object(value) as { readonly __pulumiType?: unknown };
    return (
      pulumi.CustomResource.isInstance(value) && (token === typeToken(type) || token === pluginToken(type))
    );
  }

  /**
   * Reads an existing object by its id without managing it.
   *
   * @throws TriviumError if the SDK of the program does not support that
   * @internal
   */
  protected static existing<Resource>(
    this: { readonly definition: AnyResourceDefinition } & (new (
      name: string,
      args: never,
      options?: pulumi.CustomResourceOptions,
    ) => Resource),
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): Resource {
    if (adapter() === "dynamic") {
      assertGetSupported(this.definition.type.replace(/[/:]/g, "."));
    }
    return new this(name, undefined as never, { ...options, id });
  }

  /**
   * @param args `undefined` if an existing object is read, not managed (`options.id` is set)
   * @internal
   */
  protected constructor(
    definition: AnyResourceDefinition,
    name: string,
    args: object | undefined,
    options: pulumi.CustomResourceOptions = {},
  ) {
    const isDynamic = adapter() === "dynamic";
    if (isDynamic) {
      assertProviderResolves();
    }
    assertOptionsWork(definition, name, options, "get" in new.target, isDynamic);
    const tokens = [typeToken(definition.type), pluginToken(definition.type)] as const;
    const [token, formerToken] = isDynamic ? tokens : ([tokens[1], tokens[0]] as const);
    const managed = options.id === undefined;
    super(
      token,
      name,
      {
        // The names of all outputs, so that the instance gets the values from the engine.
        ...undefinedFor([...Object.keys(definition.arguments), ...Object.keys(definition.outputs)]),
        ...(managed ? inputsOf(definition, { ...args }, isDynamic) : {}),
        ...(managed && isDynamic ? { [hiddenKeys.urn]: urnOf(name, token, options.parent) } : {}),
        ...(managed ? runInputs(definition, { ...args }, options) : {}),
        ...(isDynamic ? { __provider: providerStub(definition.type) } : {}),
      },
      pulumi.mergeOptions(
        // `pulumi up --replace` does not ask the provider what to delete first, only the program.
        deletesFirst(definition) ? { deleteBeforeReplace: true } : {},
        pulumi.mergeOptions(options, {
          additionalSecretOutputs: secretNames(definition),
          // The resource stays the same if the project changed the adapter.
          aliases: managed ? [aliasOf(name, formerToken, options.parent)] : [],
        }),
      ),
    );
    if (isDynamic) {
      warnOfOptions(definition, name, options);
    }
    if (isDynamic && managed && pulumi.runtime.isDryRun()) {
      // Only previews need it.
      const { foresee } = require("./foresight") as typeof import("./foresight");
      foresee(this, definition, { ...args });
    }
    warnOfUnknownKeys();
    if (managed && options.retainOnDelete !== true) {
      destructible.add(this);
    }
  }
}

const destructible = new WeakSet<pulumi.Resource>();

/**
 * Whether destroying the stack deletes the object of a resource.
 *
 * @internal
 */
export function isDestroyed(resource: pulumi.Resource): boolean {
  return destructible.has(resource);
}

// The SDK does not expose the value of an output without its dependencies.
interface OutputInternals {
  readonly promise: () => Promise<string>;
}

/**
 * The short form of the resource's own URN. It is derived from the URN of the parent, but must not depend on
 * the parent: that would mean depending on all its children, and two siblings of which one uses the other
 * would deadlock.
 */
function urnOf(name: string, token: string, parent: pulumi.Resource | undefined): string | Promise<string> {
  if (parent === undefined) {
    // The same as createUrn, without its promises for each of many resources.
    return `${pulumi.getStack()}::${pulumi.getProject()}::::${name}`;
  }
  return (pulumi.createUrn(name, token, parent) as unknown as OutputInternals).promise().then(shortUrn);
}

/** The alias of a resource under another type. */
function aliasOf(name: string, type: string, parent: pulumi.Resource | undefined): string | pulumi.Alias {
  // The SDK derives the URN of an alias by promises too.
  return parent === undefined
    ? `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`
    : { type };
}

/** What the provider process must know during this update, if anything. */
function runInputs(
  definition: AnyResourceDefinition,
  args: pulumi.Inputs,
  { ignoreChanges = [], replaceOnChanges = [] }: pulumi.CustomResourceOptions,
): pulumi.Inputs {
  const said = {
    ignored: ignoreChanges.map((path) => path.split(/[.[]/, 1)[0] ?? path),
    followsProvider: replaceOnChanges.some((path) => path === "*" || path === "provider"),
  };
  if (definition.inherits !== undefined) {
    const { inheritedMemories } = require("./inheritance") as typeof import("./inheritance");
    const run = inheritedMemories(definition, args).then((inherited) => runInput({ ...said, inherited }));
    return { [hiddenKeys.run]: run };
  }
  const run = runInput({ ...said, inherited: [] });
  return run === undefined ? {} : { [hiddenKeys.run]: run };
}

function undefinedFor(names: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

function inputsOf(definition: AnyResourceDefinition, args: pulumi.Inputs, isDynamic: boolean): pulumi.Inputs {
  const inputs: pulumi.Inputs = { ...args };
  const others: pulumi.Inputs = {};
  for (const [name, value] of Object.entries(args) as [string, unknown][]) {
    if (definition.arguments[name]?.secret !== true) {
      others[name] = value;
    } else if (value !== undefined && value !== null) {
      inputs[name] = pulumi.secret(value);
    }
  }
  // Plain values cannot be secret, and the plugin sees the secret marks. Every property of a resource costs
  // time, so it is only added if needed.
  const mayBeMarked =
    isDynamic && Object.values(others).some((value) => typeof value === "object" && value !== null);
  return mayBeMarked ? { ...inputs, [hiddenKeys.secrets]: markedSecret(others) } : inputs;
}

/**
 * The names of the arguments that the program marked as secret although the library does not. The provider
 * receives all values in clear text and needs the names for redaction.
 */
function markedSecret(args: pulumi.Inputs): pulumi.Output<string[] | undefined> {
  const marked = Object.entries(args).map(async ([name, value]: [string, unknown]) => {
    if (typeof value !== "object" || value === null) {
      return [];
    }
    // An argument that fails is reported where it is used.
    const secret = await pulumi.isSecret(pulumi.output(value)).catch(() => false);
    return secret ? [name] : [];
  });
  return pulumi.output(
    Promise.all(marked).then((names) => (names.flat().length === 0 ? undefined : names.flat())),
  );
}

const oldestMinor = 268;
const oldest = `3.${oldestMinor}.0`;

/**
 * Older SDKs crash in the engine's provider process when they read an existing object by id, and cannot show
 * a message.
 *
 * @param className as written in a program: `provisioning.Project`
 * @throws TriviumError naming the version to install
 * @internal
 */
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
