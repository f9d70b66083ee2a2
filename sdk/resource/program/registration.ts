import * as pulumi from "@pulumi/pulumi";
import { type Aliases, type Own, urnOf, withForms } from "../../connection/aliases";
import { internalsOf } from "../../engine/program";
import { completeTransforms, lastTransformation } from "../../engine/transforms";
import { type JsonObject, type JsonValue, mapped } from "../../base/json";
import { InputError } from "../../base/errors";
import { configurationKey } from "../../base/settings";
import { showable } from "../../base/shown-text";
import { problemOfOutputInText } from "../../base/output-in-text";
import { type AnyResourceDefinition, argumentsAt, deletedFirst, rootOf, shortName } from "../definition";
import {
  decodeProgram,
  encodeRun,
  formsOfUrn,
  hiddenInputs,
  isHidden,
  isWrappedSecret,
  pluginToken,
  providerStub,
  typeToken,
} from "../state/encoding";
import { secretNames } from "../state/entry";

type Options = pulumi.CustomResourceOptions;

interface Registered {
  readonly props: pulumi.Inputs;
  readonly opts: Options;
}

export const ownState = (): typeof import("./own-state") =>
  require("./own-state") as typeof import("./own-state");

/** What a program registers for a resource, after all its transformations. */
export class Registration {
  readonly type: string;
  /** With an ID, an existing object is read, not managed. */
  readonly managed: boolean;
  /** The arguments; after the SDK's constructor, as transformed. */
  args: pulumi.Inputs;
  options: Options;
  /** Everything that the engine receives. */
  private readonly aliases: Aliases = [];

  constructor(
    readonly definition: AnyResourceDefinition,
    readonly name: string,
    { args, options }: { readonly args: pulumi.Inputs; readonly options: Options },
    private readonly adapted: Adapted,
  ) {
    this.type = adapted.isDynamic ? typeToken(definition.type) : pluginToken(definition.type);
    this.managed = options.id === undefined;
    this.args = args;
    this.options = options;
    registered.set(this.type, { definition, ...adapted });
  }

  /** The options for the SDK's constructor, whose transformations can change them. */
  get given(): Registered {
    const first = this.complete(this.args, this.options);
    const last = lastTransformation((now) =>
      now.props === first.props && now.opts === opts
        ? undefined
        : this.complete(now.props, now.opts, now.props.__provider),
    );
    const opts = { ...first.opts, transformations: [...(this.options.transformations ?? []), last] };
    return { props: first.props, opts };
  }

  private complete(
    props: pulumi.Inputs,
    options: Options,
    provider: unknown = providerStub(this.definition.type),
  ): Registered {
    const { definition, name, type, managed } = this;
    const { isDynamic, isReadable } = this.adapted;
    assertNamesAreText(definition, name, options);
    assertOptionsWork(definition, name, options, isReadable, isDynamic);
    this.options = options;
    const visible = Object.fromEntries(Object.entries(props).filter(([key]) => !isHidden(key)));
    const args = mapped<unknown, unknown>(visible, (value) => value);
    this.args = args;
    const own: Own = { name, type, parent: options.parent };
    // The plugin's calls contain these.
    const ownIdentity = isDynamic && { urn: urnFor(own), secrets: markedSecrets(definition, args) };
    const isFirst = options.deleteBeforeReplace ?? (isDeletedFirst(definition, args) || undefined);
    return {
      props: {
        ...visible,
        ...(managed && inputsOf(definition, args)),
        ...(managed && hiddenInputs({ run: this.runOf(options), ...ownIdentity })),
        ...(isDynamic && { __provider: provider }),
      },
      opts: {
        ...options,
        // `pulumi up --replace` takes the order of deletion from the program, not from the provider.
        ...(isFirst !== undefined && { deleteBeforeReplace: isFirst }),
        additionalSecretOutputs: withSecrets(definition, options),
        aliases: this.aliasesOf(options, own),
      },
    };
  }

  /**
   * Aliases keep the resource when the project switches the adapter, even if the program sets its own
   * aliases.
   */
  private aliasesOf({ aliases = [] }: Options, own: Own): Aliases {
    const { definition, managed } = this;
    if (!managed) {
      return aliases;
    }
    const fresh = aliases.filter((alias) => !this.aliases.includes(alias));
    const isFirst = this.aliases.length === 0;
    const former = this.adapted.isDynamic ? pluginToken(definition.type) : typeToken(definition.type);
    const all = [...(isFirst ? [formerly(own, former)] : []), ...withForms(fresh, own, formsOfUrn)];
    this.aliases.push(...all);
    return [...this.aliases];
  }

  private runOf(options: Options): unknown {
    const { definition, name, args } = this;
    const run = runOptionsOf(definition, options);
    if (definition.inherits === undefined) {
      return encodeRun({ ...run, inherited: [] });
    }
    const urn = urnFor({ name, type: typeToken(definition.type), parent: options.parent });
    return ownState()
      .inheritedStates(definition, args, urn)
      .then((inherited) => encodeRun({ ...run, inherited }));
  }
}

interface Adapted {
  readonly isDynamic: boolean;
  readonly isReadable: boolean;
}

/** By type. */
const registered = new Map<string, Adapted & { readonly definition: AnyResourceDefinition }>();

/** In a preview, the options that a transform has set, by URN: the constructor does not see them. */
const transformed = new Map<string, Options>();

/** Once the resource is registered. */
export function optionsOf({ options }: Registration, urn: string): Options {
  const found = transformed.get(urn);
  transformed.delete(urn);
  return found ?? options;
}

// Transforms run in the order in which the program registers them, so theirs must be completed from the start.
completeTransforms(async ({ type, name, props, opts: { parent, customTimeouts } }, result) => {
  const known = registered.get(type);
  if (known === undefined) {
    return undefined;
  }
  const { definition, isDynamic, isReadable } = known;
  const own: Own = { name, type, parent };
  const opts: Options = result.opts;
  assertOptionsWork(definition, name, opts, isReadable, isDynamic);
  if (isDynamic && !limitsTime({ customTimeouts })) {
    warnOfOptions(definition, name, opts);
  }
  const hidden = Object.fromEntries<JsonValue>(
    (Object.entries(props) as [string, JsonValue][]).filter(([key]) => isHidden(key)),
  );
  const { run, secrets } = decodeProgram(hidden);
  const marked = await secretsAmong(definition, result.props);
  const aliases = withForms(opts.aliases ?? [], own, formsOfUrn).map((alias) => urnOf(alias, own));
  const urns = await Promise.all(aliases.map((alias) => internalsOf(alias).promise()));
  if (pulumi.runtime.isDryRun()) {
    transformed.set(await internalsOf(urnOf({}, own)).promise(), opts);
  }
  return {
    props: {
      ...inputsOf(definition, result.props),
      ...hidden,
      ...hiddenInputs<unknown>({
        run: encodeRun({ ...run, ...runOptionsOf(definition, opts) }),
        secrets: isDynamic && marked.length > 0 ? [...new Set([...secrets, ...marked])] : undefined,
      }),
    },
    opts: {
      ...opts,
      aliases: [...new Set(urns)],
      additionalSecretOutputs: withSecrets(definition, opts),
    },
  };
});

function withSecrets(definition: AnyResourceDefinition, options: Options): string[] {
  return [...new Set([...secretNames(definition), ...(options.additionalSecretOutputs ?? [])])];
}

// Must not depend on the parent, which depends on all its children: siblings that use each other would
// deadlock.
function urnFor(own: Own): string | Promise<string> {
  // The same as createUrn, but without promises for each resource.
  return own.parent === undefined ? plainUrn(own) : internalsOf(urnOf({}, own)).promise();
}

function plainUrn({ name, type }: Own): string {
  return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
}

function formerly(own: Own, type: string): string | pulumi.Alias {
  // A string if possible, because the SDK derives the URN of an alias object with promises.
  return own.parent === undefined ? plainUrn({ ...own, type }) : { type };
}

function runOptionsOf(definition: AnyResourceDefinition, options: Options) {
  const { ignoreChanges = [], replaceOnChanges = [] } = options;
  return {
    ignored: argumentsAt(ignoreChanges, definition),
    followsProvider: replaceOnChanges.map(rootOf).some((root) => root === "*" || root === "provider"),
    ...(definition.ending && {
      phase: pulumi.runtime.isDryRun() ? ("preview" as const) : ("update" as const),
    }),
  };
}

function inputsOf(definition: AnyResourceDefinition, args: pulumi.Inputs): pulumi.Inputs {
  return mapped<unknown, unknown>(args, (value, name) => {
    const isSecret = definition.arguments[name]?.secret === true && (value ?? null) !== null;
    return isSecret && !isWrappedSecret(value) ? pulumi.secret(value) : value;
  });
}

/**
 * The provider receives all values in plain text and needs the names of the program's own secrets for redaction.
 *
 * @returns `undefined` if there cannot be any: each property takes time, and plain values cannot be secret
 */
function markedSecrets(definition: AnyResourceDefinition, args: pulumi.Inputs) {
  const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;
  if (Object.values(args).every(isPlain)) {
    return undefined;
  }
  return pulumi.output(
    secretsAmong(definition, args).then((names) => (names.length > 0 ? names : undefined)),
  );
}

/** Without those of the class. */
async function secretsAmong(definition: AnyResourceDefinition, args: pulumi.Inputs): Promise<string[]> {
  const marked = Object.entries(args).map(async ([name, value]: [string, unknown]) => {
    if (definition.arguments[name] === undefined || definition.arguments[name].secret === true) {
      return [];
    }
    // A rejected argument is reported where it is used.
    const secret = isWrappedSecret(value) || (await pulumi.isSecret(pulumi.output(value)).catch(() => false));
    return secret ? [name] : [];
  });
  return (await Promise.all(marked)).flat();
}

/** To import a dynamic resource, the engine calls its provider with only the ID, and the process would crash. */
function assertNamesAreText(
  definition: AnyResourceDefinition,
  name: string,
  { id, import: imported }: Options,
) {
  for (const [what, value] of Object.entries({ name, id, import: imported })) {
    const problem = problemOfOutputInText(value);
    if (problem !== undefined) {
      throw new InputError(`The ${what} of a ${shortName(definition)} ${problem}.`);
    }
  }
}

function assertOptionsWork(
  definition: AnyResourceDefinition,
  name: string,
  options: Options,
  readable: boolean,
  isDynamic: boolean,
): void {
  if (!options.import || (readable && !isDynamic)) {
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

export function warnOfOptions(definition: AnyResourceDefinition, name: string, options: Options): void {
  if (!limitsTime(options)) {
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
      `The \`customTimeouts\` option of the ${shortName(definition)} "${name}" has no effect: the engine does ` +
        `not pass it to dynamic resources. ${instead}`,
    ),
  );
}

/** A transform gets empty limits for none. */
function limitsTime({ customTimeouts }: Pick<Options, "customTimeouts">): boolean {
  return Object.values(customTimeouts ?? {}).some(Boolean);
}

function isDeletedFirst(definition: AnyResourceDefinition, given: pulumi.Inputs): boolean {
  // If an argument is an output, only its presence is known yet.
  const present = (value: unknown): unknown => (pulumi.Output.isInstance(value) ? true : value);
  const isFirst = deletedFirst(definition, () => mapped(given, present) as JsonObject);
  return Boolean(isFirst ?? definition.look !== undefined);
}
