import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as library from "../sdk";
import { isObject } from "../sdk/base/json";
import { collectDefinitions } from "../sdk/resource/registry";
import { reachableDeclarations } from "./support/declarations";
import { repository } from "./support/packed-library";

const compiled = join(repository, "sdk", "dist");

/** What a program gets from the library, by kind. */
interface Surface {
  readonly resources: readonly string[];
  readonly classes: readonly string[];
  readonly functions: readonly string[];
  readonly namespaces: readonly string[];
}

function surfaceOf(module: object): Surface {
  const entries = Object.entries(module) as [string, unknown][];
  const names = (is: (value: unknown) => boolean): string[] =>
    entries
      .filter(([, value]) => is(value))
      .map(([name]) => name)
      .toSorted();
  const isClass = (value: unknown): boolean => typeof value === "function" && /^class /.test(String(value));
  const isResource = (value: unknown): boolean => isClass(value) && "definition" in (value as object);
  return {
    resources: names(isResource),
    classes: names((value) => isClass(value) && !isResource(value)),
    functions: names((value) => typeof value === "function" && !isClass(value)),
    namespaces: names((value) => typeof value === "object"),
  };
}

describe("the library", () => {
  // Users' programs are written against these names: to remove or rename one breaks them.
  describe("exports", () => {
    const none: Surface = { resources: [], classes: [], functions: [], namespaces: [] };
    const surfaces: readonly [string, object, Partial<Surface>][] = [
      [
        "trivium",
        library,
        { classes: ["Provider"], namespaces: ["errors", "provisioning", "scheduler", "secrets"] },
      ],
      [
        "trivium.errors",
        library.errors,
        {
          classes: [
            "CancelledError",
            "ConfigurationError",
            "ConnectionError",
            "ContractError",
            "InputError",
            "NotFoundError",
            "ServiceError",
            "TimeoutError",
            "TriviumError",
          ],
        },
      ],
      [
        "trivium.provisioning",
        library.provisioning,
        {
          resources: [
            "AdminOrganization",
            "ModuleConsumers",
            "NotificationConfiguration",
            "Project",
            "ProjectWorkspaces",
          ],
          functions: [
            "getAdminOrganization",
            "getAdminOrganizationOutput",
            "getNotificationConfiguration",
            "getNotificationConfigurationOutput",
            "getProject",
            "getProjectOutput",
            "listAdminOrganizations",
            "listAdminOrganizationsOutput",
            "listModuleConsumers",
            "listModuleConsumersOutput",
            "listNotificationConfigurations",
            "listNotificationConfigurationsOutput",
            "listProjects",
            "listProjectsOutput",
            "listProviderConsumers",
            "listProviderConsumersOutput",
            "moveWorkspaces",
            "verifyNotificationConfiguration",
          ],
          namespaces: ["webhook"],
        },
      ],
      [
        "trivium.provisioning.webhook",
        library.provisioning.webhook,
        { functions: ["parse", "parseUnsigned", "signatureOf", "verifySignature"] },
      ],
      [
        "trivium.scheduler",
        library.scheduler,
        { resources: ["EventGate"], functions: ["events", "readEvents", "streamEvents", "waitForEvent"] },
      ],
      ["trivium.secrets", library.secrets, { namespaces: ["directory", "identity", "mfa", "scheduler"] }],
      [
        "trivium.secrets.directory",
        library.secrets.directory,
        {
          resources: [
            "Config",
            "DynamicCredential",
            "DynamicRole",
            "LibraryCheckout",
            "LibrarySet",
            "RootRotation",
            "StaticRole",
            "StaticRoleRotation",
          ],
          functions: [
            "checkIn",
            "checkOut",
            "forceCheckIn",
            "getConfig",
            "getConfigOutput",
            "getDynamicCredentials",
            "getDynamicRole",
            "getDynamicRoleOutput",
            "getLibrarySet",
            "getLibrarySetOutput",
            "getLibraryStatus",
            "getLibraryStatusOutput",
            "getStaticCredentials",
            "getStaticCredentialsOutput",
            "getStaticRole",
            "getStaticRoleOutput",
            "lintTemplate",
            "listLibrarySets",
            "listLibrarySetsOutput",
            "listStaticRoles",
            "listStaticRolesOutput",
            "rotateRoot",
            "rotateStaticRole",
          ],
        },
      ],
      [
        "trivium.secrets.identity",
        library.secrets.identity,
        {
          resources: ["EntityAlias"],
          functions: [
            "getEntityAlias",
            "getEntityAliasOutput",
            "listEntityAliases",
            "listEntityAliasesOutput",
          ],
        },
      ],
      [
        "trivium.secrets.mfa",
        library.secrets.mfa,
        {
          resources: ["PushMethod", "TotpMethod", "TotpSecret"],
          functions: [
            "adminDestroyTotpSecret",
            "adminGenerateTotpSecret",
            "generateTotpSecret",
            "getPushMethod",
            "getPushMethodOutput",
            "getTotpMethod",
            "getTotpMethodOutput",
            "listTotpMethods",
            "listTotpMethodsOutput",
          ],
        },
      ],
      [
        "trivium.secrets.scheduler",
        library.secrets.scheduler,
        {
          resources: ["Access", "Lease", "Role", "Token"],
          functions: [
            "getAccess",
            "getAccessOutput",
            "getCredentials",
            "getLease",
            "getLeaseOutput",
            "getRole",
            "getRoleOutput",
            "listRoles",
            "listRolesOutput",
          ],
        },
      ],
    ];
    for (const [name, module, expected] of surfaces) {
      it(`from ${name} these names and no others`, () => {
        assert.deepEqual(surfaceOf(module), { ...none, ...expected });
      });
    }

    it("every class under the name and the namespace that its type has", () => {
      for (const [type, definition] of collectDefinitions(library)) {
        const [place = "", name = ""] = type.split(":");
        const namespaces = place.split("/");
        assert.equal(definition.service.name, namespaces[0], type);
        const exported = namespaces.reduce<unknown>(
          (module, namespace) => (isObject(module) ? module[namespace] : undefined),
          library,
        );
        assert.ok(isObject(exported) && name in exported, type);
      }
    });
  });

  describe("when it is imported", () => {
    it("loads nothing but itself and what the SDK has loaded already", () => {
      const script = `
        require("@pulumi/pulumi");
        const before = new Set(Object.keys(require.cache));
        require("pulumi-trivium");
        console.log(JSON.stringify(Object.keys(require.cache).filter((file) => !before.has(file))));`;
      const printed = execFileSync(process.execPath, ["--eval", script], {
        cwd: repository,
        encoding: "utf8",
      });
      const loaded = JSON.parse(printed) as string[];
      const own = loaded.filter((file) => file.startsWith(compiled));
      assert.ok(own.includes(join(compiled, "index.js")));
      assert.deepEqual(
        loaded.filter((file) => !own.includes(file)),
        [],
      );
      assert.ok(!own.some((file) => file.startsWith(join(compiled, "testing"))), "nor the emulator");
    });
  });

  describe("its public types", () => {
    const files = reachableDeclarations(join(compiled, "index.d.ts"));
    const textOf = (file: string): string => readFileSync(file, "utf8");

    it("are there", () => {
      assert.ok(files.size > 5, [...files.keys()].join(", "));
    });

    it("are found by programs that are compiled as `pulumi new` sets them up, which knows no `exports`", () => {
      const { exports, typesVersions } = JSON.parse(
        readFileSync(join(repository, "sdk", "package.json"), "utf8"),
      ) as {
        readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
        readonly typesVersions: { readonly "*": Readonly<Record<string, readonly string[]>> };
      };
      const entries = Object.entries(exports).flatMap(([entry, target]) =>
        entry === "." || typeof target === "string"
          ? []
          : [[entry.slice("./".length), [target.types]] as const],
      );
      assert.deepEqual(typesVersions["*"], Object.fromEntries(entries));
    });

    it("explain every resource class with an example", () => {
      const classes = new Map(
        [...files.keys()].flatMap((file) =>
          [
            ...textOf(file).matchAll(/(\/\*\*(?:(?!\*\/)[^])*\*\/)?\s*export declare class (\w+) extends/g),
          ].map(([, comment = "", name = ""]): [string, string] => [name, comment]),
        ),
      );
      const names = [...collectDefinitions(library).keys()].map((type) => type.split(":")[1] ?? "");
      for (const name of [...names, "Provider"]) {
        const comment = classes.get(name);
        assert.ok(comment !== undefined, `${name} is declared in a file that index.d.ts leads to`);
        const [, example = ""] = /## Example Usage[^]*```typescript\n([^]*?)```/.exec(comment) ?? [];
        assert.match(example, new RegExp(`new trivium\\.(?:\\w+\\.)*${name}\\(`), `an example of ${name}`);
        assert.match(example, /import \* as trivium from "pulumi-trivium";/, `a complete example of ${name}`);
      }
    });

    it("explain every argument of every class", () => {
      for (const file of files.keys()) {
        for (const [, name = "", body = ""] of textOf(file).matchAll(
          /export interface (\w+Args)\b[^{]*\{\n([^]*?)\n\}/g,
        )) {
          const members = [...body.matchAll(/^ {4}(?:readonly )?(\w+)\??:/gm)].map(([, member]) => member);
          const explained = [...body.matchAll(/\*\/\n {4}(?:readonly )?(\w+)\??:/g)].map(
            ([, member]) => member,
          );
          assert.ok(members.length > 0, `${name} in ${relative(compiled, file)} has members`);
          assert.deepEqual(explained, members, `${name} in ${relative(compiled, file)}`);
        }
      }
    });
  });
});
