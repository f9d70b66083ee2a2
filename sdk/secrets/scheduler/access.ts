import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path, type Path } from "../../base/path";
import { isResource, TriviumResource } from "../../resource/base";
import { nothingIsNull, pem } from "../../resource/canonical";
import { defineResourceBySchema } from "../../resource/definition";
import { assertGetSupported } from "../../resource/get";
import type { SecretsClient } from "../client";
import { mountDefinition, mountedId, readMountedId } from "../mount";
import { accessRules, addressProblem } from "./access-rules";
import { schedulerMountArgument } from "./usual-mount";

/** The arguments of {@link Access}. */
export interface AccessArgs {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the resource.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /**
   * Where the secrets service reaches the scheduler: `protocol://host:port`. A change is made in place.
   *
   * @default what the environment of the secrets service itself says
   */
  address?: pulumi.Input<string | null | undefined>;
  /**
   * The management token of the scheduler with which the secrets service has tokens made. Kept secret. Sent with every
   * write. The service never returns it, so that a change in the service cannot be seen.
   *
   * In the hashicorp dialect it is required unless `bootstrap` is true.
   *
   * @default what the environment of the secrets service itself says
   */
  token?: pulumi.Input<string | null | undefined>;
  /**
   * The longest name, in characters, that the secrets service gives a token; 0 for the longest that the scheduler
   * allows: 64 up to its release 0.8.3, 256 from 0.8.4. A change is made in place.
   *
   * @default 0
   */
  maxTokenNameLength?: pulumi.Input<number | null | undefined>;
  /**
   * The certificate of the authority that signed the scheduler's: X.509 PEM. A change is made in place. From release
   * 1.12 of the service, certificates that are signed with SHA-1 cannot be verified without a workaround.
   */
  caCert?: pulumi.Input<string | null | undefined>;
  /** The client certificate to show to the scheduler: X.509 PEM. Needs `clientKey`. A change is made in place. */
  clientCert?: pulumi.Input<string | null | undefined>;
  /**
   * The key of the client certificate: X.509 PEM. Needs `clientCert`. Kept secret. A change is made in place. The
   * service never returns it, so that a change in the service cannot be seen.
   */
  clientKey?: pulumi.Input<string | null | undefined>;
  /**
   * Let a first configuration without a token take over the access control of the scheduler, which can be done once in
   * the scheduler's life: what the service makes of a missing token in the hashicorp dialect. It has to stay in the
   * program as long as that names no token. The documented dialect does nothing of the kind.
   *
   * @default false
   */
  bootstrap?: pulumi.Input<boolean | null | undefined>;
}

/**
 * An access configuration as the service answers it, without the secrets. The documents promise the address only;
 * what an answer does not hold is missing.
 *
 * @internal
 */
export interface AccessState {
  readonly mount: string;
  readonly address?: string;
  readonly maxTokenNameLength?: number;
  readonly caCert?: string;
  readonly clientCert?: string;
}

/** The names of the fields on the wire. */
const wireNames = {
  address: "address",
  token: "token",
  maxTokenNameLength: "max_token_name_length",
  caCert: "ca_cert",
  clientCert: "client_cert",
  clientKey: "client_key",
} as const;

type FieldName = keyof typeof wireNames;

function accessPath(mount: string): Path {
  return path`/${mountPath(mount)}/config/access`;
}

/**
 * Reads how a mount reaches the scheduler.
 *
 * @returns `undefined` when the mount has no access configuration
 * @internal
 */
export async function readAccess(client: SecretsClient, mount: string): Promise<AccessState | undefined> {
  const data = await client.read({
    summary: `read the scheduler access configuration of the mount ${mount}`,
    path: accessPath(mount),
    data(z) {
      // Null says that there is none.
      const text = z
        .string()
        .nullable()
        .transform((value) => value ?? "")
        .optional();
      const length = z
        .number()
        .nullable()
        .transform((value) => value ?? 0)
        .optional();
      return z.object({ address: text, max_token_name_length: length, ca_cert: text, client_cert: text });
    },
  });
  if (data === undefined) {
    return undefined;
  }
  const {
    address,
    max_token_name_length: maxTokenNameLength,
    ca_cert: caCert,
    client_cert: clientCert,
  } = data;
  return {
    mount,
    ...(address === undefined ? {} : { address }),
    ...(maxTokenNameLength === undefined ? {} : { maxTokenNameLength }),
    ...(caCert === undefined ? {} : { caCert }),
    ...(clientCert === undefined ? {} : { clientCert }),
  };
}

/** @param send whether to send a field for which there is a value */
async function writeAccess(
  client: SecretsClient,
  mount: string,
  fields: Readonly<Partial<Record<FieldName, unknown>>>,
  send: (name: FieldName) => boolean,
): Promise<void> {
  const names = Object.keys(wireNames) as FieldName[];
  const sent = names.filter((name) => fields[name] !== undefined && send(name));
  await client.write({
    summary: `write the scheduler access configuration of the mount ${mount}`,
    path: accessPath(mount),
    body: Object.fromEntries(sent.map((name) => [wireNames[name], fields[name]])),
    data: (z) => z.unknown(),
  });
}

/** @internal */
export const accessDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/scheduler:Access",
  service: secretsService,
  identifiedBy: ["mount"],
  schema: (z, dialect) => ({
    mount: schedulerMountArgument(z, dialect),
    address: z.string().optional(),
    token: z.string().optional(),
    maxTokenNameLength: z.int("must be a whole number").optional(),
    caCert: z.string().optional(),
    clientCert: z.string().optional(),
    clientKey: z.string().optional(),
    bootstrap: z.boolean().optional(),
  }),
  arguments: {
    mount: mountDefinition,
    address: { canonical: nothingIsNull(), cleared: "", warning: addressProblem },
    token: { secret: true, writeOnly: true, canonical: nothingIsNull(), cleared: "" },
    maxTokenNameLength: {
      cleared: 0,
      warning: (length) => (Number(length) < 0 ? "is negative: 0 stands for the longest name" : undefined),
    },
    caCert: { canonical: nothingIsNull(pem), cleared: "" },
    clientCert: { canonical: nothingIsNull(pem), cleared: "" },
    clientKey: { secret: true, writeOnly: true, canonical: nothingIsNull(pem), cleared: "" },
    bootstrap: { role: "creation" },
  },
  outputs: {},
  rules: accessRules,
  // Real servers forget the length of names when it is not sent; and without a configuration to update, a write
  // that leaves out the token would be a first one.
  updatesWholeObject: true,

  async create({ client }, { mount, ...fields }) {
    await writeAccess(client, mount, fields, () => true);
    return { id: mountedId(mount), state: { mount } };
  },

  async read({ client }, id) {
    const state = await readAccess(client, readMountedId(id, 0).mount);
    return state && { ...state };
  },

  async update({ client, managed }, id, fields, changed, known) {
    const { mount } = readMountedId(id, 0);
    // A service may take a token that is left out for an empty one.
    const token = fields.token ?? known.token;
    await writeAccess(
      client,
      mount,
      { ...fields, token },
      (name) => name === "maxTokenNameLength" || name === "token" || managed.has(name) || changed.has(name),
    );
    return { mount };
  },

  delete({ announce }, id) {
    const { mount } = readMountedId(id, 0);
    announce(
      "warning",
      `The access configuration of the scheduler engine at ${mount} stays in the secrets service, with the token that ` +
        "it holds: by its documents there is no request that deletes it. Revoke that token in the scheduler if it is " +
        "not needed.",
    );
    return Promise.resolve();
  },
});

/**
 * How the scheduler engine of the secrets service reaches the scheduler: its address, and a management token with
 * which tokens are made.
 *
 * Its id is the mount: there is one configuration for each. Creation writes over a configuration that is there
 * already. By its documents the service cannot delete it: destruction leaves it in place, in every dialect, and says
 * so. Nothing of it is ever taken from
 * the settings with which the library itself reaches the scheduler.
 *
 * `token` and `clientKey` are secrets. Their drift cannot be seen, nor that of `maxTokenNameLength`, `caCert` and
 * `clientCert` where the service answers the address only, as the documents say; in the hashicorp dialect it answers
 * these too.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as pulumi from "@pulumi/pulumi";
 * import * as trivium from "pulumi-trivium";
 *
 * const config = new pulumi.Config();
 *
 * const access = new trivium.secrets.scheduler.Access("scheduler", {
 *   address: "https://scheduler.example.com:4646",
 *   token: config.requireSecret("managementToken"),
 * });
 * ```
 *
 * Documented under "Scheduler access configuration" in the secrets service's interface.
 */
export class Access extends TriviumResource {
  /** @internal */
  static override readonly definition = accessDefinition;

  /** Where the scheduler engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** Where the secrets service reaches the scheduler; empty when its environment says where. */
  declare readonly address: pulumi.Output<string>;
  /** The management token as it was last set; `undefined` when this program has not set one. Secret. */
  declare readonly token: pulumi.Output<string | null | undefined>;
  /** The longest name of a token; `undefined` when neither the program nor the service has said. */
  declare readonly maxTokenNameLength: pulumi.Output<number | null | undefined>;
  /** The certificate of the scheduler's authority; `undefined` when neither the program nor the service has said. */
  declare readonly caCert: pulumi.Output<string | null | undefined>;
  /** The client certificate; `undefined` when neither the program nor the service has said. */
  declare readonly clientCert: pulumi.Output<string | null | undefined>;
  /** The client key as it was last set; `undefined` when this program has not set one. Secret. */
  declare readonly clientKey: pulumi.Output<string | null | undefined>;

  /**
   * Reads an existing access configuration without managing it: it is never changed.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the mount: `scheduler`
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Access {
    assertGetSupported("secrets.scheduler.Access");
    return new Access(name, undefined, { ...options, id });
  }

  /** Whether a value is an access configuration, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is Access {
    return isResource(value, accessDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args how the scheduler is reached
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: AccessArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: AccessArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: AccessArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(accessDefinition, name, args, options);
  }
}
