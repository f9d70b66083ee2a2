import * as pulumi from "@pulumi/pulumi";
import { secrets } from "pulumi-trivium";

const { scheduler } = secrets;

/** A role: what its tokens are allowed to do. */
export interface SchedulerRoleArgs {
  /** The names of at least one policy of the scheduler. */
  policies: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Whether the program gets a token of the role: {@link SchedulerEngine.token}.
   *
   * @default false: other clients request tokens from the secrets service
   */
  issueToken?: boolean;
}

/** The arguments of a {@link SchedulerEngine}. */
export interface SchedulerEngineArgs {
  /**
   * Where the scheduler engine is mounted. A change replaces everything.
   *
   * @default the secrets service's default path
   */
  mount?: pulumi.Input<string>;
  /** The address at which the secrets service reaches the scheduler. */
  address: pulumi.Input<string>;
  /** The management token with which the secrets service creates tokens. Kept secret. */
  managementToken: pulumi.Input<string>;
  /**
   * How long tokens are valid.
   *
   * @default "8h"
   */
  tokenLifetime?: pulumi.Input<string>;
  /**
   * How long tokens can be valid, renewals included.
   *
   * @default "24h"
   */
  maxTokenLifetime?: pulumi.Input<string>;
  /**
   * How long before it expires a token of the program is replaced by the next update.
   *
   * @default "1h"
   */
  renewBefore?: pulumi.Input<string>;
  /** The roles, by their names. */
  roles: Readonly<Record<string, SchedulerRoleArgs>>;
}

/**
 * Short-lived tokens of the scheduler: access configuration, lease configuration and roles.
 *
 * ```typescript
 * const engine = new SchedulerEngine("scheduler", {
 *   address: "https://scheduler.example.com:4646",
 *   managementToken: config.requireSecret("managementToken"),
 *   roles: { deploy: { policies: ["job-submit"], issueToken: true } },
 * });
 *
 * export const deployToken = engine.token("deploy");
 * ```
 */
export class SchedulerEngine extends pulumi.ComponentResource {
  /** Where the engine is mounted. */
  readonly mount: pulumi.Output<string>;
  /** The names of the roles, in the order of the program. */
  readonly roleNames: pulumi.Output<string[]>;
  /** The tokens that were issued to the program, by the names of their roles. Secret. */
  readonly tokens: pulumi.Output<Record<string, string>>;

  private readonly issued: Readonly<Record<string, secrets.scheduler.Token>>;

  constructor(name: string, args: SchedulerEngineArgs, options?: pulumi.ComponentResourceOptions) {
    super("acme:platform:SchedulerEngine", name, {}, options);
    const { mount, tokenLifetime = "8h", maxTokenLifetime = "24h", renewBefore = "1h" } = args;
    const access = new scheduler.Access(
      name,
      { mount, address: args.address, token: args.managementToken },
      { parent: this },
    );
    const lease = new scheduler.Lease(
      name,
      { mount, ttl: tokenLifetime, maxTtl: maxTokenLifetime },
      { parent: this },
    );
    const roles = Object.entries(args.roles).map(([roleName, { policies, issueToken }]) => ({
      roleName,
      issueToken,
      role: new scheduler.Role(
        `${name}-${roleName}`,
        { mount, name: roleName, policies },
        // The service needs these to revoke the token.
        { parent: this, dependsOn: access },
      ),
    }));
    this.issued = Object.fromEntries(
      roles
        .filter(({ issueToken }) => issueToken === true)
        .map(({ roleName, role }) => [
          roleName,
          new scheduler.Token(
            `${name}-${roleName}`,
            { mount, roleName: role.name, renewBefore },
            { parent: this, dependsOn: [access, lease] },
          ),
        ]),
    );

    this.mount = access.mount;
    this.roleNames = pulumi.output(roles.map(({ role }) => role.name));
    this.tokens = pulumi.secret(
      Object.fromEntries(Object.entries(this.issued).map(([roleName, { secretId }]) => [roleName, secretId])),
    );
    this.registerOutputs({ mount: this.mount, roleNames: this.roleNames, tokens: this.tokens });
  }

  /**
   * The token that was issued to the program. Secret.
   *
   * @param roleName the name of a role with `issueToken`
   * @throws if there is no token for this role
   */
  token(roleName: string): pulumi.Output<string> {
    const token = this.issued[roleName];
    if (token === undefined) {
      const known = Object.keys(this.issued).join(", ") || "none";
      throw new pulumi.ResourceError(`No token of the role ${roleName} is issued, only: ${known}.`, this);
    }
    return token.secretId;
  }
}
