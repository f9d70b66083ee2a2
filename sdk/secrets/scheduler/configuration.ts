import { NotFoundError } from "../../base/errors";
import { type MountPath, mountPath, type Path } from "../../base/path";
import type { RemoteObject, ResourceBehaviour } from "../../resource/definition";
import type { Current, Desired, Field, Fields } from "../../resource/field";
import type { SecretsClient } from "../client";
import { secretsDialects } from "../dialect";
import { mount, mountedId, readMountedId } from "../mount";
import { resultOf } from "../response";

/** Where the scheduler engine is mounted; where it usually is depends on the dialect. */
export function schedulerMount(): Field<string, string, "defaulted"> {
  const { documented, hashicorp } = secretsDialects;
  return mount({ documented: documented.schedulerMount, hashicorp: hashicorp.schedulerMount });
}

interface OnMount {
  readonly mount: string;
}

/** A configuration of which each mount of the scheduler engine has one. */
export class SchedulerConfiguration<Rows> {
  constructor(
    private readonly name: "access" | "lease",
    private readonly place: (mount: MountPath) => Path,
    private readonly fields: Fields<Rows>,
  ) {}

  /** Where a mount has it. */
  path(at: string): Path {
    return this.place(mountPath(at));
  }

  /** It, as messages name it. */
  describe(at: string): string {
    return `scheduler ${this.name} configuration of the mount ${at}`;
  }

  /** @returns `undefined` when the mount has none */
  read(client: SecretsClient, at: string): Promise<Current<Rows> | undefined> {
    const { response } = this.fields;
    return client.read({ summary: `read the ${this.describe(at)}`, path: this.path(at), data: response });
  }

  /** @param isSent which fields to send of those that have a value. Default: all */
  async write(
    client: SecretsClient,
    at: string,
    desired: Desired<Rows>,
    isSent?: (name: string) => boolean,
  ): Promise<void> {
    const body = this.fields.request(desired, client.dialect.name, isSent);
    await client.write({ summary: `write the ${this.describe(at)}`, path: this.path(at), body });
  }

  /**
   * Reads it for a function.
   *
   * @param unsaid what it means for the result that a response leaves members out
   * @param consequence what it means that there is none
   * @throws NotFoundError when the mount has none
   */
  async get<Result extends object>(
    client: SecretsClient,
    at: string,
    unsaid: Partial<NoInfer<Result>>,
    consequence = "",
  ): Promise<Result> {
    const state = await this.read(client, at);
    if (state === undefined) {
      throw new NotFoundError(
        `The scheduler engine at ${at} has no ${this.name} configuration${consequence}.`,
      );
    }
    return resultOf(this.fields, { mount: at, ...unsaid, ...state }, state, this.path(at));
  }

  /** What the definitions of these configurations have in common. */
  get behaviour() {
    return {
      identifiedBy: ["mount"],
      importedBy: { option: "scheduler", ids: (_client, at) => Promise.resolve([mountedId(at)]) },
      // Real servers reset what a write leaves out.
      updatesWholeObject: true,

      create: async ({ client }, desired): Promise<RemoteObject> => {
        await this.write(client, desired.mount, desired);
        return { id: mountedId(desired.mount), state: { mount: desired.mount } };
      },

      read: async ({ client }, id) => {
        const { mount: at } = readMountedId(id, 0);
        const state = await this.read(client, at);
        return state && { mount: at, ...state };
      },
    } satisfies Partial<ResourceBehaviour<SecretsClient, Desired<Rows> & OnMount>>;
  }
}
