import { type Page, textFor } from "./fields";
import { type Namespace, summaryOf } from "./library";
import { errorsNamespace, functionsPage, resourcePage } from "./links";

/** The front page of the reference: everything there is, and what is the same for all. */
export function indexPageText(page: Page): string {
  const described = page.library.namespaces.filter(({ name }) => name !== "" && name !== errorsNamespace);
  return [
    "# Reference",
    'Every resource and function, made from the definitions and comments of the library itself. The names stand behind `trivium.`, as in `import * as trivium from "pulumi-trivium"`.',
    "[Configuration](configuration.md) tells how services are reached, [errors](errors.md) what to do when something fails, [testing](testing.md) how to run a program against an emulator of the services, and [command line](command-line.md) what `npx pulumi-trivium` can do.",
    "## Resources",
    ...described.map((namespace) => section(namespace.name, resourceLines(page, namespace))),
    "## Functions",
    ...described.map((namespace) =>
      section(`Functions of ${namespace.name}`, functionLines(page, namespace)),
    ),
    "## How arguments behave",
    [
      "- A value **sets**. `null`, or taking an argument out of the program, **clears** it to the service's default. An argument that was never given is **left alone**.",
      "- Where an argument **replaces**, a change makes a new object and deletes the old one. All else is updated in place.",
      "- What is **secret** is encrypted in state and hidden wherever it is shown. It is a plain value in the program unless you wrap it in `pulumi.secret` or take it from `Config.requireSecret`, as you should.",
      "- What is **never read back** is not returned by the service: what somebody changes there is not seen.",
      '- Durations are numbers of seconds or texts such as `"1h30m"`. Values are compared by meaning: another spelling never shows a change.',
      "- Every argument may be an output of another resource.",
    ].join("\n"),
    "## How functions are called",
    [
      "- The second argument of the promise form (`FunctionOptions`) is Pulumi's `InvokeOptions`, and `signal`, which cancels the call: `provider`, or else that of `parent`, says whose settings count. Functions for scripts (`ScriptFunctionOptions`) take `signal` only. The `...Output` form takes Pulumi's `InvokeOutputOptions`.",
      "- An argument that is null or undefined is not given.",
      "- The `...Output` form takes outputs as arguments. In a preview its result is unknown while a resource that it depends on does not exist; `dependsOn` names more of them.",
      "- A result is secret when an argument is, or when what the service returns is: then as a whole. The token of a provider does not make it secret.",
      "- Every function rejects with an error of [`trivium.errors`](errors.md#kinds): `InputError` for arguments, `ConfigurationError` for settings, `ServiceError`, `ConnectionError`, `TimeoutError` and `ContractError` for the request, `CancelledError` when `signal` is aborted.",
      "- What changes or mints something is refused inside a Pulumi program, which also runs in previews and destroys: there it is a resource.",
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
