import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { configureDirectory } from "../../secrets/directory/emulated-directory";
import { ask } from "../../secrets/emulated-client";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { adapters } from "../support/adapter";
import { configurationFor, failureOf, organization, projectsIn, withOrganization } from "../support/projects";
import { useSharedStack } from "../support/shared-stack";

const { getProject, getProjectOutput, listProjectsOutput, Project } = trivium.provisioning;

class Team extends pulumi.ComponentResource {
  constructor(name: string, inner?: pulumi.ComponentResourceOptions) {
    super("test:index:Team", name, {}, inner);
    if (inner === undefined) {
      new Team(`${name}-inner`, { parent: this });
    } else {
      new Project(name, { organization, name }, { parent: this });
    }
  }
}

describe("functions in a program", function () {
  this.timeout(60_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, ...withOrganization });
  const other = useEmulator({ resets: false, ...withOrganization });
  const stack = useSharedStack("engine-functions", () => configurationFor(emulator, "provisioning"));

  /** Every way in which a function can depend on what does not exist yet, by the name of the stack's output. */
  const questions = (): Record<string, pulumi.Output<unknown>> => {
    const project = new Project("payments", { organization, name: "payments" });
    const counts = (dependsOn: pulumi.InvokeOutputOptions["dependsOn"]) =>
      listProjectsOutput({ organization }, { dependsOn }).apply(({ statusCounts }) => statusCounts?.total);
    const team = listProjectsOutput({ organization, q: "team" }, { dependsOn: [new Team("team")] });
    const { address, token } = other.provisioning;
    const provider = new trivium.Provider("other", {
      provisioning: { address: project.id.apply(() => address), token },
    });
    return {
      byId: getProjectOutput({ id: project.id }).name,
      // The name is known in a preview, the project it names is not there.
      byName: getProjectOutput({ organization, name: project.name }).name,
      inList: listProjectsOutput({ organization, names: [project.name] }).apply(nameOfFirst),
      afterResource: counts(project),
      afterList: counts([project]),
      afterOutput: counts(pulumi.output(project)),
      afterComponent: team.apply(nameOfFirst),
      secret: getProjectOutput({ organization, name: pulumi.secret(project.name) }).name,
      // A setting of the provider is not known, and one of them is a token.
      byProvider: getProjectOutput({ organization, name: "elsewhere" }, { provider }).name,
    };
  };
  const nameOfFirst = ({ projects }: trivium.provisioning.ListProjectsResult) => projects[0]?.name;
  /** The names of those that are known in a preview. */
  const knownInPreview = async (): Promise<readonly string[]> => {
    const known: string[] = [];
    await stack.preview(() => {
      Object.entries(questions()).forEach(([name, output]) => output.apply(() => known.push(name)));
    });
    return known;
  };

  it("functions have unknown results and do not send requests in a preview that creates the object that they read", async () => {
    assert.deepEqual(await knownInPreview(), []);
    assert.equal(emulator.journal.count(), 0);
  });

  it("functions have values after the update, which are secret if an argument is, but not because a provider has a token", async () => {
    other.provisioning.addProject({ organization, name: "elsewhere" });
    await stack.up(questions);
    const { afterResource, afterList, afterOutput, ...outputs } = await stack.outputs();
    assert.deepEqual(outputs, {
      byId: { value: "payments", secret: false },
      byName: { value: "payments", secret: false },
      inList: { value: "payments", secret: false },
      afterComponent: { value: "team-inner", secret: false },
      secret: { value: "payments", secret: true },
      byProvider: { value: "elsewhere", secret: false },
    });
    // Whether the component's project is there when they ask is open.
    const total = emulator.inspect().provisioning.projects.length;
    for (const output of [afterResource, afterList, afterOutput]) {
      assert.equal(output?.secret, false);
      assert.ok([total, total - 1].includes(Number(output.value)), String(output.value));
    }
  });

  it("functions warn once per program about a promise that returns secrets in plain text", async () => {
    const { id: workspace } = emulator.provisioning.addWorkspace({ organization });
    const configuration = { workspace, name: "runs", url: "https://a.b" };
    const { id } = emulator.provisioning.addNotificationConfiguration(configuration);
    const { text } = await stack.preview(async () => {
      questions();
      await trivium.provisioning.getNotificationConfiguration({ id });
      await trivium.provisioning.getNotificationConfiguration({ id });
      await trivium.provisioning.listProjects({ organization });
    });
    const warned = text.match(/\w+(?= returns secrets in plain text,)/g);
    assert.deepEqual(warned, ["getNotificationConfiguration"]);
    assert.match(
      text,
      /Use provisioning\.getNotificationConfigurationOutput, which returns a secret output\./,
    );
  });

  it("functions have known results in a preview if their objects exist", async () => {
    assert.equal((await knownInPreview()).length, 9);
  });
});

for (const adapter of adapters) {
  describe(`a function of an object that somebody deleted (${adapter})`, function () {
    this.timeout(60_000);

    const emulator = useEmulator({ resets: false, ...withOrganization });
    const configuration = () => configurationFor(emulator, "provisioning");
    const stack = useSharedStack(`engine-gone-${adapter}`, configuration, { adapter });
    const program = (): object => {
      const { id } = new Project("payments", { organization, name: "payments" });
      return { name: getProjectOutput({ id }).name };
    };
    const removeAll = () => projectsIn(emulator).forEach(({ id }) => emulator.provisioning.removeProject(id));

    it("the error of a function for a missing object names the function and a command that creates the object again, which works", async () => {
      await stack.up(program);
      removeAll();
      const text = await failureOf(stack.up(program));
      assert.match(text, /provisioning\.getProject: The project \S+ does not exist.* `pulumi up --refresh`/);
      assert.doesNotMatch(text, /undefined|\bat \S+ \(/);
      await stack.up(program, { refresh: true });
      assert.equal(projectsIn(emulator).length, 1);
    });

    it("a function whose object is missing is unknown to a refresh that runs the program, and the next update creates the object again", async () => {
      await stack.up(program);
      removeAll();
      assert.match((await stack.refresh({ program })).text, /payments deleted/);
      await stack.up(program);
      assert.equal(projectsIn(emulator).length, 1);
    });
  });
}

describe("an inline program of the Automation API", function () {
  this.timeout(120_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  // Only the CLI and what it starts see these.
  const stack = useSharedStack("engine-inline", () => ({}), { environment: () => emulator.environment });

  it("the Automation API passes the workspace's envVars to resources, and the error explains that functions cannot read them", async () => {
    let reason = "";
    await stack.up(async () => {
      new Project("payments", { organization, name: "payments" });
      reason = await getProject({ organization, name: "payments" }).then(String, String);
    });
    assert.equal(projectsIn(emulator).length, 1);
    assert.match(reason, /The provisioning service is not configured\. Missing: address/);
    assert.match(reason, /functions run in your process and cannot read the workspace's envVars/);
    assert.match(reason, /: use process\.env or the stack configuration/);
  });
});

describe("the credentials of a role that rotates on read, in the hashicorp dialect,", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, dialect: "hashicorp" });
  const stack = useSharedStack("engine-rotates-on-read", () => ({
    ...configurationFor(emulator, "secrets"),
    "trivium:secretsDialect": "hashicorp",
  }));
  const { getStaticCredentials, getStaticCredentialsOutput } = trivium.secrets.directory;
  const roleName = "payments";
  const reads = (): number => emulator.journal.count({ path: `/v1/ldap/static-cred/${roleName}` });

  before(async () => {
    await configureDirectory(emulator, ["svc-1"]);
    const role = { username: "svc-1", rotation_period: "24h", rotate_on_read: true };
    await ask(emulator, "POST", `ldap/static-role/${roleName}`, role);
  });

  it("credentials are unknown in a preview, where a promise is rejected with the form that works, and are read only by the update", async () => {
    const known: unknown[] = [];
    await stack.preview(() => {
      getStaticCredentialsOutput({ roleName }).apply((credentials) => known.push(credentials));
    });
    assert.deepEqual(known, []);
    const text = await failureOf(stack.preview(() => getStaticCredentials({ roleName })));
    assert.match(text, /static role "payments".*might rotate the password.*getStaticCredentialsOutput/);
    assert.equal(reads(), 0);
    // A read within the cooldown returns the same password.
    emulator.advance("2m");
    await stack.up(() => ({ rotated: getStaticCredentialsOutput({ roleName }).rotatedOnRead }));
    assert.equal((await stack.outputs()).rotated?.value, true);
    assert.equal(reads(), 1);
  });
});
