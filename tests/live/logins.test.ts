import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import * as trivium from "pulumi-trivium";
import type { SecretsApi } from "../engine/support/api";
import { type Program, type SharedStack, useSharedStack } from "../engine/support/shared-stack";
import { certificates } from "../support/certificates";
import { Ldap } from "./ldap";
import {
  addPolicy,
  type CleanUp,
  examinedServers,
  schedulerApi,
  secretsApi,
  title,
  uniqueName,
  useCleanUp,
} from "./live-services";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const verification = publicKey.export({ type: "spki", format: "pem" });
const issuer = "https://ci.example.com";
const audience = "pulumi";

/** The identity of a job, as a platform signs it. */
function identityOfJob(): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer, aud: audience, sub: "job", iat: now - 5, nbf: now - 5, exp: now + 3_600 };
  const text = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

type Settings = Readonly<Record<string, string>>;

/** What a stack needs to log in. */
type Ready = Readonly<{ login: Settings; configuration?: Settings }>;

const { secrets: server, scheduler, directory } = examinedServers();

const tokens = { token_policies: ["root-like"], token_ttl: "1h" };

/** Lets a job in through an auth method that is mounted. */
type Allow = (api: SecretsApi, mount: string, cleanUp: CleanUp) => Promise<Ready>;

const methods: Readonly<Record<string, Allow>> = {
  async jwt(api, mount) {
    const config = { jwt_validation_pubkeys: [verification], bound_issuer: issuer };
    await api.write(`auth/${mount}/config`, config);
    const role = { role_type: "jwt", user_claim: "sub", bound_audiences: [audience], ...tokens };
    await api.write(`auth/${mount}/role/ci`, role);
    return { login: { role: "ci", jwtVariable: "JOB_IDENTITY" } };
  },
  async approle(api, mount) {
    await api.write(`auth/${mount}/role/ci`, tokens);
    const role = await api.read(`auth/${mount}/role/ci/role-id`);
    const secret = await api.write(`auth/${mount}/role/ci/secret-id`, {});
    const [roleId, secretId] = [String(role?.["role_id"]), String(secret?.["secret_id"])];
    return { login: { roleId, secretId } };
  },
  async userpass(api, mount) {
    await api.write(`auth/${mount}/users/ada`, { password: "password-of-ada", ...tokens });
    return { login: { username: "ada", password: "password-of-ada" } };
  },
  async ldap(api, mount, cleanUp) {
    assert.ok(directory);
    const { userdn, ...server } = directory;
    const ldap = new Ldap(directory);
    const name = uniqueName();
    cleanUp.add(`the entry of ${name}`, () => ldap.remove(`cn=${name},${userdn}`));
    ldap.addPerson(`cn=${name},${userdn}`, "password-of-ada");
    await api.write(`auth/${mount}/config`, { ...server, userdn, userattr: "cn" });
    await api.write(`auth/${mount}/users/${name}`, { policies: "root-like" });
    return { login: { username: name, password: "password-of-ada" } };
  },
  async cert(api, mount) {
    const { certificate, key } = certificates().client;
    await api.write(`auth/${mount}/certs/ci`, { certificate, ...tokens });
    const configuration = {
      "trivium:secretsClientCertificate": certificate,
      "trivium:secretsClientKey": key,
    };
    return { login: { name: "ci" }, configuration };
  },
};

/** A stack that logs in with the identity of a job. A token of the environment would be that of the operator. */
function useLogin(prepare: () => Promise<Readonly<Record<string, string>>>): SharedStack {
  const unset = { VAULT_TOKEN: "", VAULT_ADDR: "", NOMAD_TOKEN: "", NOMAD_ADDR: "" };
  let configuration: Readonly<Record<string, string>>;
  before(async () => {
    configuration = await prepare();
  });
  const environment = () => ({ JOB_IDENTITY: identityOfJob(), ...unset });
  return useSharedStack("live-login", () => configuration, { environment });
}

/** Methods of TOTP, of which each waits for the former one where there is something to do between. */
function programOf(count: number, between?: (index: number) => Promise<unknown>): Program {
  return () => {
    let issuer: trivium.secrets.mfa.TotpMethod["id"] | string = "live";
    for (let index = 0; index < count; index++) {
      const method: trivium.secrets.mfa.TotpMethod = new trivium.secrets.mfa.TotpMethod(`method-${index}`, {
        issuer,
      });
      issuer = between ? method.id.apply(() => between(index).then(() => "live")) : "live";
    }
  };
}

/** Each gate waits for an event of its own. */
const gates: Program = () => {
  const args: trivium.scheduler.EventGateArgs = { topics: ["ACLPolicy"], match: {}, timeout: "60s" };
  for (let index = 0; index < 20; index++) {
    new trivium.scheduler.EventGate(`gate-${index}`, args);
  }
};

/** What a stack does whose first token has ended. */
async function endWithoutToken(stack: SharedStack, program: Program): Promise<void> {
  await stack.refresh();
  await stack.previewWithoutChanges(program);
  await stack.destroy();
  assert.deepEqual(await stack.resources(), []);
}

for (const [type, allow] of Object.entries(server === undefined ? {} : methods)) {
  // Only a listener with TLS sees the certificates of clients.
  const isUnseen = type === "cert" && !server?.address.startsWith("https:");
  if (server === undefined || isUnseen || (type === "ldap" && directory === undefined)) {
    continue;
  }
  describe(`logins.${type} ${title}`, function () {
    this.timeout(300_000);
    const api = secretsApi(server);
    const mount = uniqueName();
    const cleanUp = useCleanUp();
    const stack = useLogin(async () => {
      const policy = 'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }';
      await api.write("sys/policies/acl/root-like", { policy });
      await api.write(`sys/auth/${mount}`, { type });
      cleanUp.add(`the auth method ${mount}`, () => api.remove(`sys/auth/${mount}`));
      const { login, configuration } = await allow(api, mount, cleanUp);
      const authority = process.env.VAULT_CACERT;
      return {
        "trivium:secretsAddress": server.address,
        "trivium:secretsDialect": "hashicorp",
        "trivium:secretsLogin": JSON.stringify({ path: mount, ...login }),
        ...(authority && { "trivium:secretsCaCertificate": readFileSync(authority, "utf8") }),
        ...configuration,
      };
    });

    it(`one login through ${type} is enough to create 60 resources, and no token is left behind`, async () => {
      await stack.up(programOf(60));
      const open = await api.read(`sys/leases/lookup/auth/${mount}/login?list=true`);
      assert.equal(open?.["keys"], undefined);
    });

    it("the stack is refreshed, shows no change and is destroyed after the first token has expired", () =>
      endWithoutToken(stack, programOf(60)));

    it("the stack continues an update during which the token expires", async () => {
      const revokeAll = () => api.write(`sys/leases/revoke-prefix/auth/${mount}/login`, {});
      await stack.up(programOf(4, (index) => (index === 1 ? revokeAll() : Promise.resolve())));
      const methodType = "pulumi-nodejs:dynamic/trivium/secrets/mfa:TotpMethod";
      assert.equal((await stack.resources(methodType)).length, 4);
      await stack.destroy();
    });
  });
}

if (scheduler !== undefined) {
  describe(`logins.nomad ${title}`, function () {
    this.timeout(300_000);
    const api = schedulerApi(scheduler);
    const method = uniqueName();
    const cleanUp = useCleanUp();
    const stack = useLogin(async () => {
      const keys = { JWTValidationPubKeys: [verification], SigningAlgs: ["RS256"] };
      await api.send("POST", `acl/auth-method/${method}`, {
        Name: method,
        Type: "JWT",
        TokenLocality: "local",
        MaxTokenTTL: "10m",
        Config: { ...keys, BoundIssuer: [issuer], BoundAudiences: [audience] },
      });
      cleanUp.add(`the auth method ${method}`, () => api.remove(`acl/auth-method/${method}`));
      const rule = { AuthMethod: method, BindType: "management", Selector: "" };
      await api.send("POST", "acl/binding-rule", rule);
      return {
        "trivium:schedulerAddress": scheduler.address,
        "trivium:schedulerDialect": "hashicorp",
        "trivium:schedulerLogin": JSON.stringify({ method, jwtVariable: "JOB_IDENTITY" }),
      };
    });
    const tokensOfMethod = async (): Promise<readonly string[]> => {
      const all = (await api.send("GET", "acl/tokens")) as { AccessorID: string; Name: string }[];
      return all.filter(({ Name }) => Name === `JWT-${method}`).map(({ AccessorID }) => AccessorID);
    };

    it("the stack waits for events in 20 resources with one login", async () => {
      await addPolicy(api, cleanUp);
      await stack.up(gates);
      assert.equal((await tokensOfMethod()).length, 1);
    });

    it("the stack is refreshed and destroyed after the token has expired", async () => {
      await Promise.all((await tokensOfMethod()).map((accessor) => api.remove(`acl/token/${accessor}`)));
      await endWithoutToken(stack, gates);
    });
  });
}
