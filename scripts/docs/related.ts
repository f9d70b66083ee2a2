import { type Page, textFor } from "./fields";
import { type Exported, summaryOf } from "./library";
import { functionsPage, relativeLink, resourcePage } from "./links";

/** Classes that are used together; each relation is stated once, and both pages link each other. */
const pairs: readonly (readonly [string, ...string[]])[] = [
  ["provisioning.Project", "provisioning.ProjectWorkspaces"],
  ["provisioning.ProjectWorkspaces", "provisioning.NotificationConfiguration"],
  ["provisioning.AdminOrganization", "provisioning.ModuleConsumers"],
  ["secrets.identity.EntityAlias", "secrets.mfa.TotpSecret", "secrets.mfa.PushMethod"],
  ["secrets.mfa.TotpMethod", "secrets.mfa.TotpSecret", "secrets.mfa.PushMethod"],
  [
    "secrets.directory.Config",
    "secrets.directory.RootRotation",
    "secrets.directory.StaticRole",
    "secrets.directory.DynamicRole",
    "secrets.directory.LibrarySet",
  ],
  ["secrets.directory.StaticRole", "secrets.directory.StaticRoleRotation"],
  ["secrets.directory.DynamicRole", "secrets.directory.DynamicCredential"],
  ["secrets.directory.LibrarySet", "secrets.directory.LibraryCheckout"],
  ["secrets.scheduler.Access", "secrets.scheduler.Lease", "secrets.scheduler.Role"],
  ["secrets.scheduler.Token", "secrets.scheduler.Role", "secrets.scheduler.Lease", "scheduler.EventGate"],
];

/** Guides about a class. */
const guides: Readonly<Record<string, readonly [title: string, file: string]>> = {
  "provisioning.NotificationConfiguration": ["Webhooks", "webhooks.md"],
  "scheduler.EventGate": ["Event stream", "events.md"],
  "secrets.directory.Config": ["Secrets and state", "secrets-and-state.md"],
  "secrets.directory.DynamicCredential": [
    "Credentials that expire",
    "secrets-and-state.md#credentials-that-expire",
  ],
  "secrets.directory.LibraryCheckout": [
    "Credentials that expire",
    "secrets-and-state.md#credentials-that-expire",
  ],
  "secrets.scheduler.Token": ["Credentials that expire", "secrets-and-state.md#credentials-that-expire"],
};

/** Links from the page of a class to what is used with it: other classes, functions, a guide. */
export function relatedText(page: Page, name: string): string {
  const classes = page.library.namespaces.flatMap((namespace) => namespace.classes);
  const names = pairs.flatMap(([one, ...others]) =>
    one === name ? others : others.includes(name) ? [one] : [],
  );
  const functions = page.library.namespaces.find((namespace) => namespace.name === page.namespace)?.functions;
  const guide = guides[name];
  const lines = [
    ...names.map((other) => {
      const exported = classes.find((each) => each.name === other);
      if (exported === undefined) {
        throw new Error(`scripts/docs/related.ts: there is no class ${other}.`);
      }
      return `${linkTo(page, exported)}: ${textFor({ ...page, namespace: namespaceOf(other) }, summaryOf(exported))}`;
    }),
    ...(functions === undefined || functions.length === 0
      ? []
      : [
          `[Functions of ${page.namespace}](${relativeLink(page.path, { page: functionsPage(page.namespace) })})`,
        ]),
    ...(guide === undefined ? [] : [`[${guide[0]}](../../${guide[1]})`]),
  ];
  return lines.length === 0 ? "" : `## See also\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

function linkTo(page: Page, { name, shortName }: Exported): string {
  const shown = namespaceOf(name) === page.namespace ? shortName : name;
  return `[\`${shown}\`](${relativeLink(page.path, { page: resourcePage(name) })})`;
}

function namespaceOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}
