import { randomBytes } from "node:crypto";
import { SecretsApi } from "../engine/support/api";
import type { Directory, EngineMounts, EngineType, SecretsWorld } from "../cases/support/world";
import type { CleanUp } from "./clean-up";
import type { Servers } from "./servers";

/** What the products call the engines. */
export const engineTypes: Readonly<Record<EngineType, string>> = { directory: "ldap", scheduler: "nomad" };

/** The interface of a Vault or an OpenBao. */
export function secretsApi({ address, token, namespace }: NonNullable<Servers["secrets"]>): SecretsApi {
  return new SecretsApi(
    address,
    token,
    "hashicorp",
    namespace === undefined ? {} : { "x-vault-namespace": namespace },
  );
}

/** Mounts an engine until the clean-up. */
export async function mountEngine(
  api: SecretsApi,
  cleanUp: CleanUp,
  type: string,
  path: string,
): Promise<void> {
  await api.write(`sys/mounts/${path}`, { type });
  cleanUp.add(`the mount ${path}`, async () => {
    try {
      await api.remove(`sys/mounts/${path}`);
    } catch {
      // Something that was issued cannot be revoked; a mount with such leases stays unless they are forgotten.
      await api.write(`sys/leases/revoke-force/${path}`);
      await api.remove(`sys/mounts/${path}`);
    }
  });
}

/** A real Vault or OpenBao. */
export class LiveSecrets implements SecretsWorld {
  constructor(
    readonly api: SecretsApi,
    private readonly findDirectory: () => Directory,
    private readonly cleanUp: CleanUp,
  ) {}

  get directory(): Directory {
    return this.findDirectory();
  }

  async addEntity(): Promise<string> {
    const made = await this.api.write("identity/entity", { name: uniqueName() });
    const id = String(made?.["id"]);
    this.cleanUp.add(`the entity ${id}`, () => this.api.remove(`identity/entity/id/${id}`));
    return id;
  }

  async addTotpMethod(): Promise<string> {
    const path = "identity/mfa/method/totp";
    const id = String((await this.api.write(path, { issuer: "Acme" }))?.["method_id"]);
    this.cleanUp.add(`the TOTP method ${id}`, () => this.api.remove(`${path}/${id}`));
    return id;
  }

  async addLogin(): Promise<string> {
    const path = `sys/auth/${uniqueName()}`;
    await this.api.write(path, { type: "userpass" });
    this.cleanUp.add(`the login at ${path}`, () => this.api.remove(path));
    return String((await this.api.read(path))?.["accessor"]);
  }

  async mount(engine: EngineType): Promise<EngineMounts> {
    const type = engineTypes[engine];
    const [mount, otherMount] = [`${uniqueName()}/${type}`, `${uniqueName()}/eu/${type}`] as const;
    for (const path of [mount, otherMount]) {
      await mountEngine(this.api, this.cleanUp, type, path);
    }
    return { mount, otherMount, given: { mount } };
  }
}

/** A name that nothing else has. */
export function uniqueName(): string {
  return `trivium-${randomBytes(4).toString("hex")}`;
}
