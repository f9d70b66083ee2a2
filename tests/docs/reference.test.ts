import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { readLibrary } from "../../scripts/docs/library";
import { resourcePage } from "../../scripts/docs/links";
import { generateReference, referenceDirectory } from "../../scripts/docs/reference";
import * as library from "../../sdk";
import { className, collectClasses } from "../../sdk/resource/definition";

// What no code does: the services do it, or people have to know it. Below each page what it says.
const facts = `
provisioning/project.md
  Only the owners team, teams with the permission to manage projects, and the organization's own API token can create projects
provisioning/project-workspaces.md
  The token must be allowed to move workspaces in this project and in each project that they come from
provisioning/notification-configuration.md
  The token needs admin access to the workspace
  A disabled configuration sends nothing
  For \`"email"\` no request is sent: people verify the addresses
  The response of the receiver to the most recent verification; empty if there was none
  \`run:needs_attention\` (a plan waits for an approval or a policy override)
  \`run:errored\` (it failed or was canceled)
  These occur only in workspaces with drift detection, and not in Terraform Enterprise, the self-hosted edition
provisioning/admin-organization.md
  only site administrators of Terraform Enterprise, the self-hosted edition, can change
  Whether the organization is disabled: all permissions in it are removed and no one can use it
  A limit below the current number only prevents new ones
  If it was never set, the service's global limit applies
provisioning/module-consumers.md
  The endpoint that sets the list is deprecated and will be removed: the Admin Registry Sharing API replaces it, which \`ProviderConsumers\` uses
secrets-identity/entity-alias.md
  Write access to the service's identity endpoints is privileged
  One alias per entity is recommended, especially for entities that machines generate
scheduler/functions.md
  An allocation has no information about its job
  a registration (\`NodeRegistration\`) has the topic \`Node\`
secrets-directory/config.md
  Release 1.12 and newer of the service cannot verify certificates that are signed with SHA-1 without a workaround
  It must be allowed to search entries and to change their passwords
  or a comma-separated list of URLs, tried in order when a connection fails
  The smaller of the two timeouts applies to both
  The name of the policy used to generate passwords
  Default: the engine's built-in generator
  The length of passwords that the engine's built-in generator generates
  The base DN under which accounts are looked up, for libraries and static roles
  The domain of the user principal name that the engine binds with: \`<binddn>@<upndomain>\`
  Do not verify the directory's certificate
  Upgrade an unencrypted connection to TLS with StartTLS
secrets-directory/dynamic-role.md
  Its entries run in order up to the first error; then \`rollbackLdif\` runs
  Its entries run in order, also after an error
  may be slightly earlier than the times of the lease
  Dashes and underscores in these names stay unless the template removes them
  Default: the mount's, else the service's
  It can be less than the maximum of the mount (or of the service), never more
  "v_{{.DisplayName}}_{{.RoleName}}_{{random 10}}_{{unix_time}}"
secrets-directory/library-set.md
  Each must exist in the directory, may belong to one set only, and should only be used through the service
secrets-directory/root-rotation.md
  The entry must be allowed to search entries and to change their passwords
secrets-directory/static-role.md
  If it is set, the entry is not looked up by \`username\`
  Default: the value of \`skipStaticRoleImportRotation\` in the configuration
secrets-directory/functions.md
  of any borrower, for privileged callers
secrets-mfa/functions.md
  the TOTP methods in the caller's namespace and those above it
secrets-mfa/push-method.md
  The accessor of the authentication mount whose alias names are used as user names at the provider
  Default: the alias's name
secrets-scheduler/access.md
  64 up to its release 0.8.3, 256 from 0.8.4
  \`SCHEDULER_ADDR\` in the environment of the secrets service
  \`SCHEDULER_TOKEN\` in the environment of the secrets service
secrets-scheduler/role.md
  The policies must exist in the scheduler
provisioning/functions.md
  Available from release 202103-1 of Terraform Enterprise, the self-hosted edition
  Available from release 202301-1 of Terraform Enterprise, the self-hosted edition
  In the hashicorp dialect, [\`ProviderConsumers\`](provider-consumers.md) sets them
`
  .trim()
  .split(/\n(?=\S)/);

describe("docs/reference", function () {
  this.timeout(120_000);
  let generated: ReadonlyMap<string, string>;

  before(async () => {
    generated = await generateReference();
  });

  it("the reference is what the library says now", () => {
    const committed = readdirSync(referenceDirectory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(referenceDirectory, join(entry.parentPath, entry.name)));
    const pages = [...generated.keys()].toSorted();
    assert.deepEqual(committed.toSorted(), pages, "The reference is stale: run `npm run docs`.");
    for (const [path, text] of generated) {
      const file = readFileSync(join(referenceDirectory, path), "utf8");
      assert.equal(file, text, `docs/reference/${path} is stale: run \`npm run docs\`.`);
    }
  });

  it("the reference links classes that are used together from both pages", () => {
    const links = [...generated].flatMap(([path, text]) => {
      const [, section = ""] = text.split("\n## See also\n");
      return [...(section.split("\n## ")[0]?.matchAll(/^- \[`[\w.]+`\]\(([^)]+)\)/gm) ?? [])].map(
        ([, target = ""]) => `${path} ${join(path, "..", target)}`,
      );
    });
    assert.ok(links.includes("secrets-mfa/totp-secret.md secrets-mfa/totp-method.md"));
    assert.ok(links.includes("scheduler/event-gate.md secrets-scheduler/token.md"));
    const found = links.filter((link) => !links.includes(link.split(" ").reverse().join(" ")));
    assert.deepEqual(found, []);
    const alone = [...collectClasses(library).values()]
      .map(({ definition }) => resourcePage(className(definition)))
      .filter((page) => !links.some((link) => link.startsWith(`${page} `)));
    assert.deepEqual(alone, []);
  });

  it("the reference has a page for each class of errors, with its causes and what to do", () => {
    const index = generated.get("errors.md") ?? "";
    const classes = Object.keys(library.errors);
    assert.ok(classes.length > 5);
    for (const name of classes) {
      const path = new RegExp(`\\[\`${name}\`\\]\\(([^)]+)\\)`).exec(index)?.[1] ?? "";
      const page = generated.get(path) ?? "";
      assert.match(page, new RegExp(`^# ${name}\n[^]*\n## Causes\n\n- [^]*\n## What to do\n\n- `), name);
    }
  });

  for (const [page = "", ...sentences] of facts.map((block) => block.split("\n  "))) {
    it(`the reference states on ${page} what the documents say`, () => {
      const text = (generated.get(page) ?? "").replace(/\s+/g, " ");
      const actual = sentences.filter((sentence) => !text.includes(sentence));
      assert.deepEqual([sentences.length > 0, actual], [true, []]);
    });
  }

  it("the reference names the product at the beginning of every page about a service", () => {
    const products = {
      provisioning: /Terraform Enterprise/,
      secrets: /Vault or OpenBao/,
      scheduler: /Nomad/,
    };
    for (const [service, product] of Object.entries(products)) {
      for (const [path, text] of [...generated].filter(([name]) => name.startsWith(service))) {
        const [beginning = ""] = text.split(/\n## (?:`|Example)/);
        assert.match(beginning.replace(/\s+/g, " "), product, path);
      }
    }
  });

  it("the reference marks what the services call deprecated", () => {
    const sections = (generated.get("secrets-directory/config.md") ?? "").split("\n### ");
    const marked = sections.filter((section) => section.includes("\nDeprecated: Use `"));
    const names = marked.map((section) => section.split("\n", 1)[0]);
    assert.deepEqual(names, ["`length`", "`connectionTimeout`"]);
  });

  for (const entryPoint of ["index", "testing"] as const) {
    it(`the reference has every name that the library exports from its ${entryPoint}`, () => {
      const words = new Set([...generated.values()].join("\n").match(/\w+/g));
      const exported = readLibrary(entryPoint).namespaces.flatMap(
        ({ classes, functions, constants, types }) => [...classes, ...functions, ...constants, ...types],
      );
      assert.ok(exported.length > 50);
      const missing = exported.filter(({ shortName }) => !words.has(shortName)).map(({ name }) => name);
      assert.deepEqual(missing, [], "No page has these names: describe them where they are used.");
    });
  }

  it("the reference describes everything that it names", () => {
    for (const [path, text] of generated) {
      assert.doesNotMatch(text, /\{@|\[object/, path);
      // An argument with nothing behind its type.
      assert.doesNotMatch(text, /^### `\w+`\n\n[^\n]* · [^\n]*\n\n(?:#|$)/m, path);
      // Events go through as they are: what is in them has the scheduler's own names and meaning. The emulator's records
      // have the names of the arguments and outputs that the other pages describe.
      if (!path.startsWith("scheduler/") && !path.startsWith("testing")) {
        assert.doesNotMatch(text, /^- \*\*`\w+`\*\* \(.*\)$/m, path);
      }
    }
  });
});
