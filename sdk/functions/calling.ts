import * as pulumi from "@pulumi/pulumi";
import { programSources, sourcesOf } from "../connection/program";
import { dialectOf } from "../connection/resolve";
import type { Sources } from "../connection/sources";
import type * as Zod from "zod";
import {
  advisedOtherwise,
  ConfigurationError,
  InputError,
  NotFoundError,
  sentence,
  ServiceError,
} from "../base/errors";
import { mocks, referenceOf } from "../engine/program";
import { requestFor } from "../http/request-log";
import { sourcesFor } from "../resource/program/sources";
import { connect } from "../connection/connect";
import { problemOfOutputInText } from "../base/output-in-text";
import { explainIssue, firstProblems, pathText, type Validation, validation } from "../base/schema";
import { inheritedProvider, Provider } from "../connection/provider";
import type { Caller } from "../base/caller";
import { isObject, mapped } from "../base/json";
import { showable } from "../base/shown-text";
import { type FunctionDefinition, UnknownInPreview } from "./definition";
import type { FunctionOptions, ScriptFunctionOptions } from "./options";
import { idsOf } from "./dependencies";

/** @internal */
export async function callFunction<Client, Arguments, Result>(
  definition: FunctionDefinition<Client, Arguments, Result>,
  args: unknown,
  options: FunctionOptions = {},
): Promise<Result> {
  const provider = providerOf(definition.name, options);
  assertNoOutputs(definition.name, args);
  if (definition.secret === true) {
    warnOfClearText(definition.name);
  }
  const sources = await knownSources(definition.name, provider);
  return callWith(definition, args, { sources, provider, signal: options.signal });
}

const warned = new WeakMap<object, Set<string>>();

/** Outside a program, only the promise form works, and nothing is stored. */
function warnOfClearText(functionName: string): void {
  const program = pulumi.runtime.getMonitor();
  if (program === undefined || functionMock() !== undefined) {
    return;
  }
  const names = warned.get(program) ?? new Set();
  warned.set(program, names);
  if (!names.has(functionName)) {
    names.add(functionName);
    const text =
      `${functionName} returns secrets in plain text, and any output derived from them is stored in plain text. ` +
      `Use ${functionName}Output, which returns a secret output.`;
    void pulumi.log.warn(showable(text)).catch(() => undefined);
  }
}

/**
 * A program also runs in previews, refreshes and destroys, so its calls must not make changes.
 *
 * @param resource the resource to use in a program: `provisioning.ProjectWorkspaces`
 * @internal
 */
export async function callInScript<Client, Arguments, Result>(
  definition: FunctionDefinition<Client, Arguments, Result>,
  resource: string,
  args: unknown,
  options: ScriptFunctionOptions = {},
): Promise<Result> {
  if (pulumi.runtime.hasMonitor()) {
    throw new InputError(
      `${definition.name} makes changes, but a Pulumi program also runs in previews and destroys: ` +
        `use the resource ${resource} instead.`,
    );
  }
  return callWith(definition, args, { sources: programSources(), signal: options.signal });
}

/**
 * The result is unknown while an argument, or the ID of a dependency, is unknown.
 * @internal
 */
export function callFunctionOutput<Client, Arguments, Result>(
  definition: FunctionDefinition<Client, Arguments, Result>,
  args: pulumi.Inputs,
  options: pulumi.InvokeOutputOptions = {},
): pulumi.Output<Result> {
  const provider = providerOf(definition.name, options);
  // The settings of a provider contain its token, but no result does.
  const settingsOfProvider = provider && pulumi.unsecret(provider.settings);
  const known = pulumi.all([pulumi.output(args), settingsOfProvider, idsOf(args, options.dependsOn)]);
  const result = known.apply(([values, settings]) =>
    callWith(definition, values, {
      sources: settings === undefined ? programSources() : sourcesOf(settings),
      provider,
    }).catch((error: unknown) => {
      if (error instanceof UnknownInPreview) {
        return pulumi.unknown as Result;
      }
      throw error;
    }),
  );
  const marked = definition.secret === true ? pulumi.secret(result) : result;
  // Results are plain data, in which `apply` does not have to unwrap anything.
  return marked as unknown as pulumi.Output<Result>;
}

interface CallContext {
  readonly sources: Sources;
  readonly provider?: Provider | undefined;
  readonly signal?: AbortSignal | undefined;
}

async function callWith<Client, Arguments, Result>(
  definition: FunctionDefinition<Client, Arguments, Result>,
  args: unknown,
  { sources, provider, signal = new AbortController().signal }: CallContext,
): Promise<Result> {
  const dialect = dialectOf(sources, definition.service.name);
  // A null argument means the same as an omitted one.
  const given = isObject(args) ? mapped<unknown, unknown>(args, (value) => value ?? undefined) : args;
  const parsed = parseArguments(definition.name, (z) => definition.schema(z, dialect), given);
  const mock = functionMock();
  if (mock !== undefined) {
    const reference = provider && (await referenceOf(provider));
    const token = functionToken(definition.name);
    const from = reference === undefined ? {} : { provider: reference };
    return (await mock({ token, inputs: given ?? {}, ...from })) as Result;
  }
  const caller = callerWith(signal);
  const { clientFor } = connect(sources, definition.service).announcedTo(caller);
  try {
    return await definition.call(clientFor(caller), parsed, caller);
  } catch (error) {
    throw pulumi.runtime.hasMonitor() ? explained(definition.name, error) : error;
  }
}

const refreshFirst =
  "If a resource of this program manages it, it was deleted outside Pulumi: run `pulumi up --refresh` to create it again.";

/** Programs seldom catch errors, so the error names the function, and the resource if its object is gone. */
function explained(functionName: string, error: unknown): unknown {
  const isAbsent = ServiceError.isInstance(error) && error.status === 404 && error.foreign === undefined;
  if (!isAbsent && !NotFoundError.isInstance(error)) {
    return error;
  }
  const advice = [error.advice, refreshFirst].filter((part) => part !== undefined).join(" ");
  // The SDK prints no stack trace for an error with this property.
  return Object.assign(advisedOtherwise(error, advice, `${functionName}: `), { __pulumiRunError: true });
}

/**
 * @throws InputError naming all problems, without the values
 * @internal
 */
export function parseArguments<Arguments>(
  functionName: string,
  schema: (z: Validation) => Zod.ZodType<Arguments>,
  args: unknown,
): Arguments {
  const made = Object.entries(Object(args) as object).flatMap(([name, value]: [string, unknown]) => {
    const problem = problemOfOutputInText(value);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
  if (made.length > 0) {
    throw new InputError(sentence(`${functionName}: ${made.join("; ")}`));
  }
  const z = validation();
  const parsed = z.safeParse(schema(z), args ?? {}, { error: explainIssue });
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${pathText(issue.path)} ${issue.message}`.trim());
    const shown = firstProblems(problems, (more) => `and ${more} more`);
    throw new InputError(sentence(`${functionName}: ${shown.join("; ")}`));
  }
  return parsed.data;
}

/**
 * Shows announcements as messages of the program. In a script, they are printed to standard error.
 * @internal
 */
export function callerWith(signal: AbortSignal): Caller {
  requestFor({
    debug(message) {
      if (pulumi.runtime.hasMonitor()) {
        void pulumi.log.debug(showable(message)).catch(() => undefined);
      }
    },
    warn: (message) => void pulumi.log.warn(showable(message)).catch(() => undefined),
  });
  return {
    signal,
    progress: () => undefined,
    announce(kind, message) {
      const isShown =
        kind === "warning" ? pulumi.log.warn(showable(message)) : pulumi.log.info(showable(message));
      // A line that cannot be shown is lost, but the result matters.
      void isShown.catch(() => undefined);
    },
  };
}

/**
 * A call that returns a promise cannot wait for values that are not known in a preview.
 *
 * @throws ConfigurationError if the settings of the provider are not known yet
 * @internal
 */
export async function knownSources(
  functionName: string,
  provider: Provider | undefined,
  advice = `Use ${functionName}Output: its result is unknown until they exist.`,
): Promise<Sources> {
  const sources = await sourcesFor(provider);
  if (sources === undefined) {
    throw new ConfigurationError(
      `${functionName} cannot be called yet: settings of its provider depend on resources that do not exist yet.`,
      { advice },
    );
  }
  return sources;
}

/** The token for mocks: `trivium:provisioning:getProject`, `trivium:secrets/directory:getConfig`. */
function functionToken(name: string): string {
  const [, modules = "", itself = ""] = /^(.*)\.(.*)$/.exec(name) ?? [];
  return `trivium:${modules.replaceAll(".", "/")}:${itself}`;
}

/**
 * A unit test with mocks must not reach a configured service. Mocks without `call` do not replace functions.
 */
function functionMock(): ((args: pulumi.runtime.MockCallArgs) => unknown) | undefined {
  const mocked = mocks();
  return typeof mocked?.call === "function" ? (args) => mocked.call?.(args) : undefined;
}

/**
 * @throws InputError for another type of provider, whose settings would silently be ignored
 * @internal
 */
export function providerOf(functionName: string, { provider, parent }: pulumi.InvokeOptions) {
  const found = provider ?? (parent && inheritedProvider(parent));
  if (found !== undefined && !Provider.isInstance(found)) {
    const what = provider === undefined ? "the provider of its parent" : "`provider`";
    throw new InputError(`${functionName}: ${what} must be a trivium.Provider.`);
  }
  return found;
}

function assertNoOutputs(functionName: string, args: unknown): void {
  const outputs = Object.entries({ ...(args as object | undefined) }).filter(([, value]) =>
    [value].flat().some((item) => pulumi.Output.isInstance(item)),
  );
  if (outputs.length > 0) {
    const names = outputs.map(([name]) => name).join(", ");
    throw new InputError(
      `${functionName}: ${names} must be known values; use ${functionName}Output for outputs.`,
    );
  }
}
