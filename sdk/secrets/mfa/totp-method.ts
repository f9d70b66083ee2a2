import type * as pulumi from "@pulumi/pulumi";
import { messageOf, onStatus, TriviumError } from "../../base/errors";
import { path, type Path } from "../../base/path";
import { KeyedMutex } from "../../base/timing";
import { outputForm, promiseForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { TriviumResource } from "../../resource/program/base";
import { defineResource, type Look } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import type { Current, Desired } from "../../resource/fields/field";
import { builtOnce, defineFields, output, snakeCase } from "../../resource/fields/field";
import {
  integer,
  oneOf,
  pathName,
  seconds,
  text,
  nameInResponse,
  unlikelyBelow,
} from "../../resource/fields/kinds";
import type { SecretsClient } from "../client";
import { secretsService } from "../service";

/** The algorithms by which codes are computed. */
export type TotpAlgorithm = "SHA1" | "SHA256" | "SHA512";

/**
 * The arguments of a {@link TotpMethod}. Every change is made in place. Secrets that were generated before keep the
 * values of their time.
 */
export interface TotpMethodArgs {
  /**
   * The name of the organization that issues keys, as authenticator apps show it. Avoid `$ & + , / : ; = @`: services
   * do not escape them in the URL of a secret, and apps may refuse it or show another issuer.
   */
  issuer: pulumi.Input<string>;
  /**
   * How long a code is good for: whole seconds, as a number or as text such as `"30s"`. Longer than 0.
   *
   * @default 30
   */
  period?: pulumi.Input<string | number | null | undefined>;
  /**
   * The size of generated keys in bytes.
   *
   * @default 20
   */
  keySize?: pulumi.Input<number | null | undefined>;
  /**
   * The width and height of the QR code in pixels; 0 for none.
   *
   * @default 200
   */
  qrSize?: pulumi.Input<number | null | undefined>;
  /**
   * The hash by which codes are computed: `"SHA1"`, `"SHA256"` or `"SHA512"`. Many authenticator apps only know
   * `"SHA1"`.
   *
   * @default "SHA1"
   */
  algorithm?: pulumi.Input<TotpAlgorithm | null | undefined>;
  /**
   * How many digits a code has: 6 or 8.
   *
   * @default 6
   */
  digits?: pulumi.Input<number | null | undefined>;
  /**
   * By how many periods a code may be late or early: 0 or 1.
   *
   * @default 1
   */
  skew?: pulumi.Input<number | null | undefined>;
  /**
   * The number of consecutive wrong codes that are allowed: at least 1.
   *
   * @default 5
   */
  maxValidationAttempts?: pulumi.Input<number | null | undefined>;
}

const fields = defineFields<TotpMethodArgs, TotpMethod>(snakeCase)({
  issuer: text({
    least: 1,
    warning: (issuer) =>
      /[$&+,/:;=@]/.test(issuer)
        ? "contains one of $ & + , / : ; = @, which services do not escape in the URL of a secret: authenticator " +
          "apps may refuse the code or show another issuer"
        : undefined,
  }),
  // The documentation names no smallest values; the products reject some.
  period: seconds({ least: { hashicorp: 1 }, warning: unlikelyBelow(1), cleared: 30 }),
  keySize: integer({ least: { hashicorp: 1 }, warning: unlikelyBelow(1), cleared: 20 }),
  qrSize: integer({ warning: unlikelyBelow(0), cleared: 200 }),
  algorithm: oneOf(["SHA1", "SHA256", "SHA512"], { cleared: "SHA1" }),
  digits: oneOf([6, 8], { cleared: 6 }),
  skew: oneOf([0, 1], { cleared: 1 }),
  maxValidationAttempts: integer({ warning: unlikelyBelow(1), cleared: 5 }),
  type: output(text({ inResults: "totp" })),
  namespace: output(text({ mayBeMissing: true, wire: { hashicorp: ["namespace_id", "namespace_path"] } })),
});

type Rows = typeof fields.rows;

/** @internal */
export const methods = path`/identity/mfa/method/totp`;
const methodPath = (id: string): Path => path`/identity/mfa/method/totp/${id}`;

/** @internal */
export function readTotpMethod(client: SecretsClient, id: string): Promise<Current<Rows> | undefined> {
  const summary = `read the TOTP method ${id}`;
  return client.read({ summary, path: methodPath(id), id, data: fields.response });
}

function list(client: SecretsClient): Promise<string[]> {
  return client.list({ summary: "list the TOTP methods", path: methods });
}

/** The products return the id under the first name. */
const createdMethod = builtOnce((z) =>
  z.object({ method_id: nameInResponse(z).optional(), id: nameInResponse(z).optional() }),
);

const describe = ({ issuer }: Desired<Rows>): string => `TOTP method of the issuer ${JSON.stringify(issuer)}`;

/** `undefined` when the token may not list the methods. */
type Ids = ReadonlySet<string> | undefined;

interface Seen {
  readonly ids: Ids;
  /** Whether the list was read right before the creation, and no other one of this process runs. */
  readonly isAlone: boolean;
}

/**
 * Each creation makes another method, and if the response has no id, the method is the new one in the list. So the
 * first creation runs alone, after a list; once a response has contained an id, creations run in parallel. What
 * appears while they do may be another client's, so it is named and not adopted.
 */
class Creations {
  private readonly mutex = new KeyedMutex();
  private readonly running = new Set<Promise<unknown>>();
  private readonly created = new Set<string>();
  private listed: Ids;
  private responsesTell = false;

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.responsesTell) {
      return work();
    }
    const first = await this.mutex.run("", async () => {
      // The response to an earlier one had an id.
      if (this.responsesTell) {
        return undefined;
      }
      await Promise.allSettled(this.running);
      return { result: await work() };
    });
    return first === undefined ? work() : first.result;
  }

  async before(client: SecretsClient): Promise<Seen> {
    if (this.responsesTell) {
      return { ids: this.listed, isAlone: false };
    }
    this.listed = await listIfAllowed(client);
    return { ids: this.listed, isAlone: true };
  }

  /** @returns `undefined` if the response does not tell it */
  async id(creation: Promise<string | undefined>): Promise<string | undefined> {
    this.running.add(creation);
    const id = await creation.finally(() => this.running.delete(creation));
    if (id !== undefined) {
      this.responsesTell = true;
      this.created.add(id);
    }
    return id;
  }

  /** @throws TriviumError that says what to do, when the new method cannot be identified */
  after(client: SecretsClient, desired: Desired<Rows>, seen: Seen): Promise<string> {
    const search = () => this.search(client, desired, seen);
    return seen.isAlone ? search() : this.mutex.run("", search);
  }

  private async search(client: SecretsClient, desired: Desired<Rows>, seen: Seen): Promise<string> {
    this.responsesTell = false;
    await Promise.allSettled(this.running);
    const maybe = `The ${describe(desired)} may nevertheless have been created.`;
    const deleteIt = "Delete the TOTP methods that are not in use, and run `pulumi up` again.";
    const now = await listIfAllowed(client).catch((failure: unknown) => {
      throw new TriviumError(`${maybe} The search for it failed: ${messageOf(failure)} ${deleteIt}`);
    });
    if (seen.ids === undefined || now === undefined) {
      throw new TriviumError(
        `${maybe} The token may not list the TOTP methods, so it cannot be found. ${deleteIt}`,
      );
    }
    this.listed = now;
    const fresh = [...now].filter((id) => seen.ids?.has(id) === false && !this.created.has(id));
    if (fresh.length === 0) {
      throw new TriviumError(
        `${maybe} The list of TOTP methods contains no new one. Run \`pulumi up\` again. If the service was only slow, a ` +
          "second one may appear: delete the one that is not in state.",
      );
    }
    const states = await Promise.all(fresh.map((id) => readTotpMethod(client, id).catch(() => undefined)));
    const agreeing = fresh.filter((_id, index) => states[index] && fields.agree(states[index], desired));
    const [id] = agreeing;
    if (id === undefined || agreeing.length > 1 || !seen.isAlone) {
      const candidates = agreeing.length > 0 ? agreeing : fresh;
      throw new TriviumError(
        `${maybe} The list contains new ones that may be another client's (${candidates.join(", ")}), so it cannot be identified. ${deleteIt}`,
      );
    }
    this.created.add(id);
    return id;
  }
}

const unlessForbidden = onStatus([403], () => undefined);

async function listIfAllowed(client: SecretsClient): Promise<Ids> {
  const ids = await list(client).catch(unlessForbidden);
  return ids && new Set(ids);
}

/** @internal */
export const totpMethodDefinition = defineResource(secretsService, fields)("secrets/mfa:TotpMethod", {
  updatesWholeObject: true,
  importedBy: { option: "mfa", ids: list },

  // Two methods may have the same arguments, so creations that wait for their ids exclude each other.
  serialize: ({ client, managed }, _desired, work) =>
    managed.size === 0 ? client.sharedState(Creations).run(work) : work(),
  deleteBeforeReplace: false,

  async find({ client }, desired, before?: Look<Seen>): Promise<Look<Seen>> {
    const creations = client.sharedState(Creations);
    return before?.seen === undefined
      ? { seen: await creations.before(client) }
      : { existing: { id: await creations.after(client, desired, before.seen), state: {} } };
  },

  async create({ client }, desired) {
    const request = { summary: `create the ${describe(desired)}`, path: methods, data: createdMethod };
    const body = fields.request(desired, client.dialect.name);
    const creation = client.act({ ...request, body }).then((data) => data?.method_id ?? data?.id);
    const id = await client.sharedState(Creations).id(creation);
    if (id === undefined) {
      const without = `The service created the ${describe(desired)} without returning its id: POST /v1${methods}.`;
      throw new TriviumError(without, { mayHaveBeenProcessed: true });
    }
    return { id, state: {} };
  },

  read: ({ client }, id) => readTotpMethod(client, id),

  // The service reports success for a missing method; the read after every update detects it.
  async update({ client }, id, desired) {
    const body = fields.request(desired, client.dialect.name);
    await client.write({ summary: `update the TOTP method ${id}`, path: methodPath(id), body });
    return {};
  },

  delete: ({ client }, id) =>
    client.delete({
      summary: `delete the TOTP method ${id}`,
      path: methodPath(id),
      advice: {
        otherwise:
          "A method that a login enforcement uses cannot be deleted: remove it from the enforcement first.",
      },
    }),
});

/**
 * An MFA method of the secrets service: users confirm a login with a code from an authenticator app (TOTP:
 * time-based one-time passwords).
 *
 * The service assigns its id. It has no unique name, so an existing method cannot be adopted. A method that a
 * login enforcement uses cannot be deleted. All drift is detected.
 *
 * A change does not affect users who have already enrolled: their apps and secrets keep the former values
 * until a {@link TotpSecret} is generated again.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const method = new trivium.secrets.mfa.TotpMethod("codes", {
 *   issuer: "Acme",
 *   period: "30s",
 *   digits: 6,
 * });
 *
 * export const methodId = method.id;
 * ```
 *
 * Documented under "TOTP MFA methods" in the secrets service's interface.
 */
export class TotpMethod extends TriviumResource {
  /** @internal */
  static override readonly definition = totpMethodDefinition;

  /** The name of the organization that issues keys. */
  declare readonly issuer: pulumi.Output<string>;
  /** How many seconds a code is valid. */
  declare readonly period: pulumi.Output<number>;
  /** The size of generated keys in bytes. */
  declare readonly keySize: pulumi.Output<number>;
  /** The width and height of the QR code in pixels. */
  declare readonly qrSize: pulumi.Output<number>;
  /** The hash by which codes are computed. */
  declare readonly algorithm: pulumi.Output<TotpAlgorithm>;
  /** How many digits a code has. */
  declare readonly digits: pulumi.Output<number>;
  /** By how many periods a code may be late or early. */
  declare readonly skew: pulumi.Output<number>;
  /** The number of consecutive wrong codes that are allowed. */
  declare readonly maxValidationAttempts: pulumi.Output<number>;
  /** Always `totp`. */
  declare readonly type: pulumi.Output<string>;
  /** The namespace that it belongs to: its id, such as `root`, where it has one. */
  declare readonly namespace: pulumi.Output<string | undefined>;

  /**
   * Reads an existing method without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the method's id
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TotpMethod {
    return TotpMethod.existing(name, id, options);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args the arguments of the method
   * @throws {@link errors.InputError} when an option is not supported, such as `import`
   */
  constructor(name: string, args: TotpMethodArgs, options?: pulumi.CustomResourceOptions) {
    super(totpMethodDefinition, name, args, options);
  }
}

/** The arguments of {@link getTotpMethod}. */
export interface GetTotpMethodArgs {
  /** The method's id. */
  id: string;
}

/** The arguments of {@link getTotpMethodOutput}. */
export type GetTotpMethodOutputArgs = InputsOf<GetTotpMethodArgs>;

/** A TOTP method as functions return it; null for values that the service does not return. */
export type GetTotpMethodResult = ResultOf<TotpMethod>;

const getDefinition = defineFunction(secretsService, { id: pathName() })(
  "secrets.mfa.getTotpMethod",
  (client, { id }): Promise<GetTotpMethodResult> =>
    client.get({ what: `TOTP method ${id}`, path: methodPath(id), id, fields, known: { id } }),
);

/**
 * Reads one TOTP method.
 *
 * @throws {@link errors.NotFoundError} when it does not exist
 */
export const getTotpMethod = promiseForm<GetTotpMethodArgs, GetTotpMethodResult>(getDefinition);

/**
 * Reads one TOTP method, with arguments that may be outputs of resources. In a preview that creates one of
 * them, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const getTotpMethodOutput = outputForm<GetTotpMethodOutputArgs, GetTotpMethodResult>(getDefinition);

/** {@link listTotpMethods} takes no arguments. */
export type ListTotpMethodsArgs = Record<string, never>;

/** {@link listTotpMethodsOutput} takes no arguments. */
export type ListTotpMethodsOutputArgs = Record<string, never>;

/** The result of {@link listTotpMethods}. */
export interface ListTotpMethodsResult {
  /** The ids of the methods in the caller's namespace and those above it. */
  readonly ids: string[];
}

const listDefinition = defineFunction(secretsService, {})(
  "secrets.mfa.listTotpMethods",
  async (client): Promise<ListTotpMethodsResult> => ({ ids: await list(client) }),
);

/**
 * Lists the ids of the TOTP methods in the caller's namespace and those above it.
 *
 * @throws {@link errors.ServiceError} if the service returns an error
 */
export const listTotpMethods = promiseForm<ListTotpMethodsArgs | undefined, ListTotpMethodsResult>(
  listDefinition,
);

/**
 * Lists the ids of the TOTP methods, after the resources that the options name.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const listTotpMethodsOutput = outputForm<ListTotpMethodsOutputArgs | undefined, ListTotpMethodsResult>(
  listDefinition,
);
