import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import type * as Zod from "zod";
import { isResource, TriviumResource } from "../../resource/base";
import { duration, nothingIsNull } from "../../resource/canonical";
import type { Validation } from "../../base/validation";
import type { ArgumentDefinition } from "../../resource/argument";
import { defineResourceBySchema } from "../../resource/definition";
import { assertGetSupported } from "../../resource/get";
import { wholeSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import { exceeds } from "../leased";
import { mountArgument, mountDefinition, mountedId } from "../mount";
import { Turns } from "../../base/turns";
import { deleteDynamicRole, dynamicRolePath, readDynamicRole, writeDynamicRole } from "./dynamic-role-wire";
import { ldif } from "./ldif";
import { lintTemplate, type TemplateKind, whyTemplateFails } from "./lint-template";
import {
  canonicalEngineId,
  engineNameArgument,
  engineNameDefinition,
  noLongerExists,
  roleNameOf,
  usualMount,
} from "./names";

/** The arguments of a {@link DynamicRole}. */
export interface DynamicRoleArgs {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the role.
   *
   * @default "ldap"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /**
   * The role's name on its mount, sent and compared as written. In the hashicorp dialect case does not count: the
   * products keep it in lower case. A change replaces the role.
   */
  roleName: pulumi.Input<string>;
  /**
   * The template of the LDIF that creates an account, plain or as base64, which mean the same. Its entries run in
   * order up to the first error. Templates are checked in previews: `{{.Username}}`, `{{.Password}}` and so on. A
   * change is made in place and counts for later accounts.
   */
  creationLdif: pulumi.Input<string>;
  /**
   * The template of the LDIF that deletes an account at the end of its time, plain or as base64. Its entries run in
   * order, also after an error. A change is made in place and counts for later accounts.
   */
  deletionLdif: pulumi.Input<string>;
  /**
   * The template of the LDIF that runs when `creationLdif` fails, plain or as base64. A change is made in place.
   *
   * @default none: what a failed creation has made stays
   */
  rollbackLdif?: pulumi.Input<string | null | undefined>;
  /**
   * The template of account names, of `{{.RoleName}}`, `{{.DisplayName}}` and functions. A change is made in place
   * and counts for later accounts.
   *
   * @default "v_{{.DisplayName}}_{{.RoleName}}_{{random 10}}_{{unix_time}}"
   */
  usernameTemplate?: pulumi.Input<string | null | undefined>;
  /**
   * How long an account lives: seconds, or a duration such as `"1h"`. A change is made in place and counts for later
   * accounts.
   *
   * @default the mount's, else the service's
   */
  defaultTtl?: pulumi.Input<string | number | null | undefined>;
  /**
   * How long an account can live with all renewals: seconds, or a duration such as `"24h"`. More than the mount
   * allows is not granted. A change is made in place.
   *
   * @default the mount's, else the service's
   */
  maxTtl?: pulumi.Input<string | number | null | undefined>;
  /**
   * Take over the role of this name if there is one already, instead of failing. Counts at creation only; a change
   * does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

const ldifTemplate: ArgumentDefinition = { canonical: ldif, warning: templateWarning("ldif") };

/** Servers take a broken template, and fail only when somebody asks for credentials. */
function template(z: Validation, kind: TemplateKind): Zod.ZodString {
  return z.string().superRefine((text, context) => {
    const reason = text === "" ? undefined : whyTemplateFails(text, kind);
    if (reason !== undefined) {
      context.addIssue({ code: "custom", message: `is no template that works: ${reason}` });
    }
  });
}

/** Says what is a template that works and still looks wrong. */
function templateWarning(kind: TemplateKind): NonNullable<ArgumentDefinition["warning"]> {
  return (text) => {
    const findings = typeof text === "string" && text !== "" ? lintTemplate(text, kind) : [];
    const warnings = findings.filter(({ severity }) => severity === "warning");
    return warnings.length === 0
      ? undefined
      : `looks wrong: ${warnings.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`).join(" ")}`;
  };
}

/** To the service 0 seconds are no time of its own. */
const ttl = nothingIsNull((value) => {
  const seconds = duration(value);
  return seconds === 0 ? null : seconds;
});

/** @internal */
export const dynamicRoleDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/directory:DynamicRole",
  service: secretsService,
  identifiedBy: ["mount", "roleName"],
  schema: (z, dialect) => {
    const optional = template(z, "ldif");
    const required = optional.min(1, "must not be empty");
    return {
      mount: mountArgument(z, usualMount),
      roleName: engineNameArgument(z, dialect),
      creationLdif: required,
      deletionLdif: required,
      rollbackLdif: optional.optional(),
      usernameTemplate: template(z, "username").optional(),
      defaultTtl: wholeSeconds(z).optional(),
      maxTtl: wholeSeconds(z).optional(),
      adopt: z.boolean().optional(),
    };
  },
  arguments: {
    mount: mountDefinition,
    roleName: engineNameDefinition,
    creationLdif: ldifTemplate,
    deletionLdif: ldifTemplate,
    rollbackLdif: { ...ldifTemplate, cleared: "" },
    usernameTemplate: { canonical: nothingIsNull(), cleared: "", warning: templateWarning("username") },
    defaultTtl: { canonical: ttl, cleared: "" },
    maxTtl: { canonical: ttl, cleared: "" },
    adopt: { role: "creation" },
  },
  outputs: {},
  canonicalId: canonicalEngineId,
  rules: [
    {
      between: ["defaultTtl", "maxTtl"],
      check: ({ defaultTtl, maxTtl }) =>
        exceeds(defaultTtl, maxTtl) && {
          argument: "defaultTtl",
          reason: "is longer than maxTtl: accounts live no longer than that",
          warning: true,
        },
    },
  ],

  // A write does not say whether it makes or changes: of two that make, the second has to see the first.
  inTurn: ({ client }, role, work) => client.part(Turns).run(dynamicRolePath(role), work),

  async find({ client }, { mount, roleName }) {
    const state = await readDynamicRole(client, { mount, roleName });
    return state && { id: mountedId(mount, roleName), state: { ...state, mount, roleName } };
  },

  async create({ client }, desired) {
    const { mount, roleName } = desired;
    await writeDynamicRole(client, { mount, roleName }, desired, (_name, value) => value !== "");
    return { id: mountedId(mount, roleName), state: { mount, roleName } };
  },

  async read({ client }, id) {
    const role = roleNameOf(id, client.dialect.name);
    const state = await readDynamicRole(client, role);
    return state && { ...state, ...role };
  },

  async update({ client }, id, desired, changed) {
    const role = roleNameOf(id, client.dialect.name);
    const isSent = (name: string): boolean => changed.has(name);
    if ((await readDynamicRole(client, role)) === undefined) {
      throw noLongerExists(`dynamic role ${role.roleName} of ${role.mount}`);
    }
    await writeDynamicRole(client, role, desired, isSent);
    return { ...role };
  },

  async delete({ client }, id) {
    await deleteDynamicRole(client, roleNameOf(id, client.dialect.name));
  },
});

/**
 * A dynamic role of a directory engine: it creates an account for everybody who asks for credentials, and deletes it
 * at the end of its time.
 *
 * Its id is the mount's path and the role's name, each part percent-encoded: `ldap/operators`. Only
 * what has changed is sent. Credentials come from {@link DynamicCredential}. Deletion leaves accounts that were
 * issued to their end. All drift is visible.
 *
 * Templates are checked in previews as {@link lintTemplate} does: the service accepts a broken one, and fails only
 * when somebody asks for credentials.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const account = "cn={{.Username}},ou=users,dc=example,dc=org";
 *
 * const role = new trivium.secrets.directory.DynamicRole("operators", {
 *   roleName: "operators",
 *   creationLdif: [
 *     `dn: ${account}`,
 *     "changetype: add",
 *     "objectClass: inetOrgPerson",
 *     "cn: {{.Username}}",
 *     "sn: {{.Username}}",
 *     "userPassword: {{.Password}}",
 *   ].join("\n"),
 *   deletionLdif: `dn: ${account}\nchangetype: delete`,
 *   rollbackLdif: `dn: ${account}\nchangetype: delete`,
 *   usernameTemplate: "ops_{{random 8 | lowercase}}",
 *   defaultTtl: "1h",
 *   maxTtl: "8h",
 * });
 * ```
 *
 * Documented under "Dynamic role" in the secrets service's interface.
 */
export class DynamicRole extends TriviumResource {
  /** @internal */
  static override readonly definition = dynamicRoleDefinition;

  /** Where the engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** The role's name; in the hashicorp dialect in lower case. */
  declare readonly roleName: pulumi.Output<string>;
  /** The LDIF that creates an account, plain. */
  declare readonly creationLdif: pulumi.Output<string>;
  /** The LDIF that deletes an account, plain. */
  declare readonly deletionLdif: pulumi.Output<string>;
  /** The LDIF that runs when a creation fails, plain; empty for none. */
  declare readonly rollbackLdif: pulumi.Output<string>;
  /** The template of account names; empty for the service's own. */
  declare readonly usernameTemplate: pulumi.Output<string>;
  /** How long an account lives, in seconds; 0 where the role does not say. */
  declare readonly defaultTtl: pulumi.Output<number>;
  /** How long an account can live with all renewals, in seconds; 0 where the role does not say. */
  declare readonly maxTtl: pulumi.Output<number>;

  /**
   * Reads an existing role without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the mount's path and the role's name: `ldap/operators`
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): DynamicRole {
    assertGetSupported("secrets.directory.DynamicRole");
    return new DynamicRole(name, undefined, { ...options, id });
  }

  /** Whether a value is such a role, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is DynamicRole {
    return isResource(value, dynamicRoleDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what the role is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: DynamicRoleArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: DynamicRoleArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: DynamicRoleArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(dynamicRoleDefinition, name, args, options);
  }
}
