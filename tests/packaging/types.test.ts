import assert from "node:assert/strict";
import * as library from "../../sdk/index";
import { collectClasses } from "../../sdk/resource/definition";
import { npm, useLayout } from "./support/package";

const versions = ["5.6.3", "5.9.3", "6.0.3"];

// The strictest settings under which people compile, and the packages that programs feed with these outputs.
describe("the types of the package together with those of other packages", function () {
  this.timeout("10m");
  const compilers = versions.map((version) => [`typescript-${version}`, `npm:typescript@${version}`]);
  const layout = useLayout(
    (library) => ({
      "package.json": {
        name: "program",
        private: true,
        dependencies: { "@pulumi/pulumi": "3.216.0", "@pulumi/random": "4.21.2", "pulumi-trivium": library },
        devDependencies: { "@types/node": "^20.0.0", ...(Object.fromEntries(compilers) as object) },
      },
      "tsconfig.json": {
        compilerOptions: {
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          target: "es2022",
          module: "nodenext",
          moduleResolution: "nodenext",
          types: ["node"],
          noEmit: true,
        },
        files: ["every-class.ts", "beside-others.ts"],
      },
      "every-class.ts": everyClass,
      "beside-others.ts": besideOthers,
    }),
    () => npm,
    {},
  );

  for (const version of versions) {
    it(`the types of the package compile with TypeScript ${version}`, async () => {
      const { text } = await layout.directory.run([
        "node",
        `node_modules/typescript-${version}/bin/tsc`,
        "--skipLibCheck",
        String(version !== versions.at(-1)),
      ]);
      assert.equal(text, "");
    });
  }
});

/** One row for each class: with its arguments, and with the result of its function that reads, where it has one. */
const classRows = [...collectClasses(library).keys()].map((type) => {
  const path = type.split(/[/:]/);
  const name = path.pop() ?? "";
  const module = path.reduce<object>((all, part) => Reflect.get(all, part) as object, library);
  const verb = ["Get", "List"].find((each) => `${each.toLowerCase()}${name}` in module);
  const [place, full] = [["trivium", ...path].join("."), ["trivium", ...path, name].join(".")];
  // No response has the password.
  const args = name === "Config" ? `Omit<${full}Args, "bindpass">` : `${full}Args`;
  const result = verb === undefined ? [] : [`${place}.${verb}${name}Result`];
  return `  "${type}": Wrong<${[full, args, ...result].join(", ")}>;`;
});

/** What has to hold of the types of every class: its outputs and results fit into its own arguments. */
const everyClass = `
import type * as pulumi from "@pulumi/pulumi";
import type * as trivium from "pulumi-trivium";

/** What a resource of a class tells, value by value. */
type Told<Class> = {
  [Name in keyof Class]: Class[Name] extends pulumi.Output<infer Value> ? Value : never;
};

/** The arguments that do not take the output of the same name. */
type Unfit<Class, Args> = {
  [Name in keyof Args & keyof Class]-?: Class[Name] extends Args[Name] ? never : Name;
}[keyof Args & keyof Class];

type OptionalOf<Args> = {
  [Name in keyof Args]-?: undefined extends Args[Name] ? Name : never;
}[keyof Args];
/** The optional arguments that do not take null, or an output that can be null or undefined. */
type Strict<Args> = {
  [Name in OptionalOf<Args>]-?: pulumi.Output<null | undefined> extends Args[Name]
    ? null extends Args[Name]
      ? never
      : Name
    : Name;
}[OptionalOf<Args>];

/** The members of a result that can be missing or null although the output with the same name cannot. */
type Looser<Result, Class> = {
  [Name in keyof Result & keyof Class]-?: undefined extends Result[Name]
    ? Name
    : null extends Result[Name]
      ? Extract<Told<Class>[Name], null | undefined> extends never
        ? Name
        : never
      : NonNullable<Result[Name]> extends NonNullable<Told<Class>[Name]>
        ? never
        : Name;
}[keyof Result & keyof Class];

type IsReadonly<Value> = Value extends readonly unknown[] ? (Value extends unknown[] ? false : true) : false;
/** The members whose lists cannot be changed, which no other package takes. */
type Frozen<Values> = {
  [Name in keyof Values]-?: true extends IsReadonly<NonNullable<Values[Name]>> ? Name : never;
}[keyof Values];

/** What is wrong with a class: nothing. */
type Wrong<Class, Args, Result = object> =
  Unfit<Class, Args> | Strict<Args> | Looser<Result, Class> | Frozen<Told<Class>> | Frozen<Result>;

export const wrong: {
${classRows.join("\n")}
} = {} as Record<keyof typeof wrong, never>;

type Every<Values> = Values[keyof Values];
export const nothing: [Every<typeof wrong>] extends [never] ? true : Every<typeof wrong> = true;

/** Words are closed where the documents close them; a word of a newer service is a cast. */
type Closed =
  | trivium.provisioning.DestinationType
  | trivium.provisioning.NotificationTrigger
  | trivium.secrets.mfa.TotpAlgorithm
  | trivium.secrets.scheduler.TokenType
  | trivium.secrets.directory.DirectorySchema;
export const closed: string extends Closed ? never : true = true;
/** Events of topics and types that no document lists are passed on: editors complete the others. */
export const open: [trivium.scheduler.EventTopic, trivium.scheduler.EventType] = [
  "Service",
  "ServiceRegistration",
];
`;

/** A program whose outputs go into another package and come from it, and whose options a component passes on. */
const besideOthers = `
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import * as trivium from "pulumi-trivium";

const { provisioning, secrets } = trivium;

const shuffled = new random.RandomShuffle("shuffled", { inputs: ["ws-1", "ws-2"] });
const password = new random.RandomPassword("password", { length: 24 });

const project = new provisioning.Project("project", {
  organization: "acme",
  name: pulumi.concat("payments-", password.id),
  adopt: undefined,
});
const notification = new provisioning.NotificationConfiguration("notification", {
  workspaceId: shuffled.results.apply(([first = "ws-1"]) => first),
  name: "ci",
  destinationType: new pulumi.Config().require<trivium.provisioning.DestinationType>("destination"),
  token: password.result,
  triggers: ["run:completed", "a-new-trigger" as trivium.provisioning.NotificationTrigger],
  verification: { timeout: "30s", interval: undefined },
});
const alias = new secrets.identity.EntityAlias("alias", {
  name: "ada",
  canonicalId: password.id,
  mountAccessor: "auth_userpass_1",
  customMetadata: { team: shuffled.id },
});
const method = new secrets.mfa.TotpMethod("method", { issuer: "Acme" });

// Outputs of the library into another package.
new random.RandomShuffle("again", {
  inputs: notification.triggers,
  keepers: alias.customMetadata,
  resultCount: method.digits,
  seed: alias.metadata.apply((metadata) => JSON.stringify(metadata)),
});

// Results of the library into its own arguments.
const listed = provisioning.listProjectsOutput({ organization: "acme", names: shuffled.results });
new provisioning.ProjectWorkspaces("listed", {
  projectId: listed.projects.apply(([first]) => first?.id ?? "prj-none"),
  workspaceIds: shuffled.results,
  fallbackProjectId: null,
});

// Options as a component passes them on.
const provider = new trivium.Provider("eu", {
  provisioning: { address: project.name, token: password.result, requestTimeout: 30, maxRetries: undefined },
  secrets: undefined,
});
export class Team extends pulumi.ComponentResource {
  constructor(name: string, options?: pulumi.ComponentResourceOptions) {
    super("acme:index:Team", name, {}, options);
    const asked: pulumi.InvokeOptions = { parent: this, provider };
    const output: pulumi.InvokeOutputOptions = { ...asked, dependsOn: [project] };
    const { signal } = new AbortController();
    provisioning.getProjectOutput({ id: project.id }, output);
    void provisioning.getProject({ id: "prj-1", name: null }, { ...asked, signal });
    void provisioning.moveWorkspaces({ projectId: "prj-1", workspaceIds: [] }, { signal });
  }
}

/** The topic of an event tells the type of its payload. */
export function nodeNameOf(event: trivium.scheduler.Event): string | undefined {
  return event.topic === "Node" ? event.payload.Node.Name : undefined;
}

/** What a script does with errors and results. */
export async function script(): Promise<string[]> {
  const options: trivium.FunctionOptions = { provider };
  try {
    const { projects }: trivium.provisioning.ListProjectsResult = await provisioning.listProjects(
      { organization: "acme", permissions: ["update"] },
      options,
    );
    return projects.map(({ name }) => name);
  } catch (error) {
    if (trivium.errors.NotFoundError.isInstance(error)) {
      return [];
    }
    if (trivium.errors.ServiceError.isInstance(error) && error.status === 403) {
      return [error.method, error.url, ...error.messages];
    }
    throw error;
  }
}
`;
