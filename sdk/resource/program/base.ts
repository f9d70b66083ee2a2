import * as pulumi from "@pulumi/pulumi";
import { adapter, warnOfConfiguration } from "../../connection/program";
import { skipLeakStacks, tokenOf } from "../../engine/program";
import { type AnyResourceDefinition, className, outputNames } from "../definition";
import { pluginToken, typeToken } from "../state/encoding";
import { version } from "@pulumi/pulumi/version";
import { TriviumError, succeeds } from "../../base/errors";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ownState, Registration, warnOfOptions } from "./registration";

/** The base class of all resources. A dynamic resource also passes a constant provider text. */
export abstract class TriviumResource<Args extends object> extends pulumi.CustomResource {
  /** @internal */
  static readonly definition: AnyResourceDefinition;

  static {
    // Policy packs and array methods call it without the class.
    Reflect.defineProperty(this, "isInstance", {
      configurable: true,
      get(this: typeof TriviumResource) {
        return (value: unknown) => isOfType(this.definition, value);
      },
    });
  }

  /**
   * Whether a value is an instance of this class, including one from another copy of the package, or such a
   * resource as a policy pack sees it, with either adapter.
   */
  static override isInstance<Class extends { readonly prototype: pulumi.CustomResource }>(
    this: Class,
    value: unknown,
  ): value is Class["prototype"] {
    return isOfType((this as unknown as typeof TriviumResource).definition, value);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args the arguments of the resource
   * @throws {@link errors.InputError} if an option cannot work, such as `import`
   */
  constructor(name: string, args: Args, options: pulumi.CustomResourceOptions = {}) {
    const { definition } = new.target;
    const isDynamic = adapter() === "dynamic";
    if (isDynamic) {
      assertProviderResolves();
    }
    // Lists all outputs, so that the engine sets their values on the instance.
    const outputs = Object.fromEntries(outputNames(definition).map((name) => [name, undefined]));
    const managed = options.id === undefined;
    const registration = new Registration(
      definition,
      name,
      { args: { ...outputs, ...(managed && args) }, options },
      { isDynamic, isReadable: "get" in new.target },
    );
    const { props, opts } = registration.given;
    const restore = skipLeakStacks();
    try {
      super(registration.type, name, props, opts);
    } finally {
      restore();
    }
    if (isDynamic) {
      warnOfOptions(definition, name, registration.options);
    }
    const warnsOfRenames = "adopt" in definition.arguments;
    if (managed && (isDynamic || warnsOfRenames || definition.inherits !== undefined)) {
      ownState().prepareToRead();
    }
    if (isDynamic && managed && pulumi.runtime.isDryRun()) {
      // Only previews need this module.
      const { showInPreview } = require("./foresight") as typeof import("./foresight");
      showInPreview(this, registration);
    }
    if (managed && warnsOfRenames && pulumi.runtime.isDryRun()) {
      const { warnOfRename } = require("./renames") as typeof import("./renames");
      // A plan without the warning is better than no plan.
      void warnOfRename(this, registration).catch(() => undefined);
    }
    warnOfConfiguration();
  }
}

function isOfType({ type }: AnyResourceDefinition, value: unknown): boolean {
  const token = tokenOf(value);
  return token === typeToken(type) || token === pluginToken(type);
}

/** The base class of resources that can be read by their IDs. */
export abstract class ReadableResource<Args extends object> extends TriviumResource<Args> {
  /**
   * Reads an existing object without managing it: the object is never changed or deleted. For the form of the
   * ID, see the reference page of the class.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the ID of the object
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

// Older SDKs crash in the engine's provider process, without a message, when they read an object by its ID.
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

let checked = false;

/** The modules that the engine's provider process loads, by package. */
const loaded = {
  "pulumi-trivium": "pulumi-trivium/dynamic",
  "@pulumi/pulumi": "@pulumi/pulumi/cmd/dynamic-provider",
};

/**
 * Whether the provider process can load the library, which it resolves from the working directory. A strict
 * package manager might hide the library there, or the project might use another language. The process itself
 * can only report a missing module.
 *
 * @internal
 */
export function assertProviderResolves(): void {
  // Only a language host runs the program in the directory where the engine starts providers.
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
      `The engine loads ${missing.join(" and ")} from ${process.cwd()} but cannot find it there. Only a dependency of ` +
        "the project includes it; the deployed project must depend on it directly. Run " +
        `\`npm install ${packages}\` (or \`pnpm add ${packages}\`) in that directory.`,
    );
    // The SDK prints no stack trace for an error with this property.
    throw Object.assign(error, { __pulumiRunError: true });
  }
  checked = true;
}
