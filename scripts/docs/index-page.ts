import { type Page, textFor } from "./fields";
import { type Namespace, summaryOf } from "./library";
import { errorsNamespace, functionsPage, resourcePage } from "./links";

/** The front page of the reference: everything there is, and what is the same for all classes and functions. */
export function indexPageText(page: Page): string {
  const described = page.library.namespaces.filter(({ name }) => name !== "" && name !== errorsNamespace);
  return [
    "# Reference",
    'Every resource and function. The names follow `trivium.`, as in `import * as trivium from "pulumi-trivium"`.',
    "See also [configuration](configuration.md) for all settings, [errors](errors.md) for what to do if something fails, [testing](testing.md) for the emulator, and [command line](command-line.md) for `npx pulumi-trivium`.",
    "## Resources",
    ...described.map((namespace) => section(namespace.name, resourceLines(page, namespace))),
    "## Functions",
    ...described.map((namespace) =>
      section(`Functions of ${namespace.name}`, functionLines(page, namespace)),
    ),
    "## How arguments behave",
    [
      "- A value **sets** the argument. `null`, or removing it from the program, **clears** it: the service's default applies. An argument that was never given is **left alone**.",
      "- A change of an argument that **replaces** creates a new object and deletes the old one. All other changes are made in place.",
      "- A **secret** argument is encrypted in state and shown as `[secret]`. In the program it is a plain value unless you use `pulumi.secret` or `Config.requireSecret`, as you should.",
      "- The service does not return an argument that is **never read back**: a refresh cannot detect a change.",
      '- Durations are numbers of seconds or strings such as `"1h30m"`. Values are compared by meaning: another spelling is never a change.',
      "- Every argument may be an output of another resource.",
    ].join("\n"),
    "## How functions are called",
    [
      "- The second argument of the promise form (`FunctionOptions`) is Pulumi's `InvokeOptions`, and `signal`, which cancels the call: `provider`, or else the provider of `parent`, has the settings. Functions for scripts (`ScriptFunctionOptions`) take `signal` only. The `...Output` form takes Pulumi's `InvokeOutputOptions`.",
      "- A null or undefined argument counts as not given.",
      "- The `...Output` form takes outputs as arguments. In a preview its result is unknown while a resource that it depends on does not exist; `dependsOn` names more of them.",
      "- A result is secret as a whole if an argument is secret, or if the service returns a secret. The token of a provider does not make it secret.",
      "- Every function rejects with an error of [`trivium.errors`](errors.md#classes): `InputError` for arguments, `ConfigurationError` for settings, `ServiceError`, `ConnectionError`, `TimeoutError` and `ContractError` for the request, `CancelledError` when `signal` is aborted.",
      "- A function that changes or issues something is refused in a Pulumi program, because a program also runs in previews and destroys. Use a resource there.",
    ].join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `### ${title}\n\n${lines.join("\n")}`;
}

function resourceLines(page: Page, { name: namespace, classes }: Namespace): readonly string[] {
  return classes.map(
    (each) =>
      `- [\`${each.name}\`](${resourcePage(each.name)}): ${textFor({ ...page, namespace }, summaryOf(each))}`,
  );
}

function functionLines(page: Page, { name: namespace, functions }: Namespace): readonly string[] {
  const names = new Set(functions.map(({ shortName }) => shortName));
  return functions
    .filter(({ shortName }) => !(shortName.endsWith("Output") && names.has(shortName.replace(/Output$/, ""))))
    .map((each) => {
      const target = `${functionsPage(namespace)}#${each.shortName.toLowerCase()}`;
      return `- [\`${each.name}\`](${target}): ${textFor({ ...page, namespace }, summaryOf(each))}`;
    });
}
