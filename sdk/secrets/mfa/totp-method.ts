import { messageOf, TriviumError } from "../../base/errors";
import type { JsonValue } from "../../base/json";
import { path } from "../../base/path";
import { KeyedMutex } from "../../base/timing";
import { outputForm, promiseForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { ReadableResource } from "../../resource/program/base";
import { defineResource, type Look, needs } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import {
  type Current,
  type Desired,
  equivalent,
  Fields,
  output,
  snakeCase,
} from "../../resource/fields/field";
import {
  adopt,
  flag,
  integer,
  isGiven,
  oneNumberOf,
  oneOf,
  pathName,
  text,
  unlikelyBelow,
  untoldText,
} from "../../resource/fields/kinds";
import { seconds } from "../seconds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { secretsService } from "../service";
import { IdentityMethods } from "./methods";

/** The hash functions for computing codes. */
export type TotpAlgorithm = (typeof TotpAlgorithm)[keyof typeof TotpAlgorithm];

/** The values of the type of this name, as generated programs write them. */
export const TotpAlgorithm = {
  SHA1: "SHA1",
  SHA256: "SHA256",
  SHA512: "SHA512",
} as const;

const algorithms: readonly TotpAlgorithm[] = Object.values(TotpAlgorithm);

const rows = {
  /**
   * The name of the organization that issues the keys. Authenticator apps show this name. Avoid
   * `$ & + , / : ; =` and at signs: services do not escape these characters in a secret's URL, and apps might
   * reject the URL or show a different issuer.
   */
  issuer: text({
    least: 1,
    check: (issuer) =>
      /[$&+,/:;=@]/.test(issuer) && {
        warning:
          "contains one of $ & + , / : ; = @, which services do not escape in the URL of a secret: authenticator " +
          "apps might reject the code or show a different issuer",
      },
  }),
  /**
   * How long a code is valid: whole seconds, or a duration such as `"30s"`. Must be positive.
   * The output is in seconds.
   *
   * @default 30
   */
  // The documentation does not name minimum values; the products reject some values.
  period: seconds({ least: { hashicorp: 1 }, check: unlikelyBelow(1), cleared: 30 }),
  /**
   * The size of generated keys in bytes.
   *
   * @default 20
   */
  keySize: integer({ least: { hashicorp: 1 }, check: unlikelyBelow(1), cleared: 20 }),
  /**
   * The width and height of the QR code in pixels; 0 for none.
   *
   * @default 200
   */
  qrSize: integer({ check: unlikelyBelow(0), cleared: 200 }),
  /**
   * The hash function for computing codes: `"SHA1"`, `"SHA256"` or `"SHA512"`. Many authenticator apps only
   * support `"SHA1"`.
   *
   * @default "SHA1"
   */
  algorithm: oneOf(algorithms, { cleared: "SHA1" }),
  /**
   * How many digits a code has: 6 or 8.
   *
   * @default 6
   */
  digits: oneNumberOf([6, 8], { cleared: 6 }),
  /**
   * How many periods before or after its own a code is accepted: 0 or 1.
   *
   * @default 1
   */
  skew: oneNumberOf([0, 1], { cleared: 1 }),
  /**
   * How many consecutive wrong codes are allowed: at least 1.
   *
   * @default 5
   */
  maxValidationAttempts: integer({ check: unlikelyBelow(1), cleared: 5 }),
  /**
   * The method's name, unique in its namespace. `adopt` finds the method by this name, and so does a creation whose
   * response was lost. You can change the name but not remove it. Only in the hashicorp dialect: Vault 1.13 or OpenBao.
   *
   * @default none
   */
  name: text({
    only: { dialect: "hashicorp", since: "Vault 1.13 or OpenBao" },
    wire: ["method_name", "name"],
    ...untoldText,
  }),
  /**
   * Allow users to enroll themselves at `identity/mfa/method/totp/self-enroll`. Only in the hashicorp
   * dialect: Vault Enterprise 1.21.
   *
   * @default false
   */
  enableSelfEnrollment: flag({
    only: { dialect: "hashicorp", since: "Vault Enterprise 1.21" },
    cleared: false,
    told: "maybe",
  }),
  /**
   * Adopt the method with this `name` if it already exists, instead of failing. Only used at creation; a
   * later change has no effect. Only in the hashicorp dialect.
   *
   * @default false
   */
  adopt: adopt({ only: "hashicorp" }),
  /** Always `totp`. */
  type: output(text()),
  /** The ID of the namespace that the method belongs to, such as `root`, if there is one. */
  namespace: output(text({ told: "maybe", wire: { hashicorp: ["namespace_id", "namespace_path"] } })),
};

const fields = new Fields(rows, snakeCase);

/**
 * The arguments of a {@link TotpMethod}. Every change is made in place. Secrets that were generated earlier
 * keep their former values.
 */
export interface TotpMethodArgs extends ArgsOf<typeof rows>, Named {}

type Rows = typeof rows;

/** @internal */
export const totpMethods = new IdentityMethods("totp", {
  what: "TOTP method",
  path: path`/identity/mfa/method/totp`,
  at: (id) => path`/identity/mfa/method/totp/${id}`,
  fields,
});

const describe = ({ issuer, name }: Desired<Rows>): string =>
  isGiven(name)
    ? `TOTP method ${JSON.stringify(name)}`
    : `TOTP method of the issuer ${JSON.stringify(issuer)}`;

/** Whether all values that both methods have are equal. */
function isLike(
  { dialect }: SecretsClient,
  desired: Desired<Rows>,
  state: Current<Rows> | undefined,
): boolean {
  const [wanted, current] = [desired, state] as Readonly<Record<string, JsonValue | undefined>>[];
  const differing = Object.entries(fields.in(dialect.name).arguments).filter(([name, argument]) => {
    const [left, right] = [wanted?.[name], current?.[name]];
    return left !== undefined && right !== undefined && !equivalent(argument, left, right);
  });
  return state !== undefined && differing.length === 0;
}

/** `undefined` if the token is not allowed to list the methods. */
type Ids = ReadonlySet<string> | undefined;

interface Seen {
  readonly ids: Ids;
  /**
   * Whether the list was read right before the creation, and no other creation of this process is running.
   */
  readonly isAlone: boolean;
}

/**
 * Each creation adds another method. If the response does not contain an ID, the method is the new one in
 * the list, so the first creation runs alone, after a list. Once a response has contained an ID, creations
 * run in parallel. A method that then appears in the list might be another client's, so it is named in the
 * error and not adopted.
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
      // The response to an earlier creation contained an ID.
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
    this.listed = await totpMethods.idsIfAllowed(client.looking());
    return { ids: this.listed, isAlone: true };
  }

  async id(creation: Promise<string>): Promise<string> {
    this.running.add(creation);
    const id = await creation.finally(() => this.running.delete(creation));
    this.responsesTell = true;
    this.created.add(id);
    return id;
  }

  /** @throws TriviumError with advice, if the new method cannot be identified */
  after(client: SecretsClient, desired: Desired<Rows>, seen: Seen): Promise<string> {
    const search = () => this.search(client, desired, seen);
    return seen.isAlone ? search() : this.mutex.run("", search);
  }

  private async search(client: SecretsClient, desired: Desired<Rows>, seen: Seen): Promise<string> {
    this.responsesTell = false;
    await Promise.allSettled(this.running);
    const maybe = `The ${describe(desired)} might still have been created.`;
    const deleteIt = "Delete the TOTP methods that are not in use, and run `pulumi up` again.";
    const now = await totpMethods.idsIfAllowed(client).catch((failure: unknown) => {
      throw new TriviumError(`${maybe} Looking for it failed: ${messageOf(failure)} ${deleteIt}`);
    });
    if (seen.ids === undefined || now === undefined) {
      throw new TriviumError(
        `${maybe} The token is not allowed to list the TOTP methods, so it cannot be found. ${deleteIt}`,
      );
    }
    this.listed = now;
    const fresh = [...now].filter((id) => seen.ids?.has(id) === false && !this.created.has(id));
    if (fresh.length === 0) {
      throw new TriviumError(
        `${maybe} The list of TOTP methods contains no new one. Run \`pulumi up\` again. If the service was only slow, a ` +
          "second one might appear: delete the one that is not in state.",
      );
    }
    const states = await Promise.all(fresh.map((id) => totpMethods.read(client, id).catch(() => undefined)));
    const agreeing = fresh.filter((_id, index) => isLike(client, desired, states[index]));
    const [id] = agreeing;
    if (id === undefined || agreeing.length > 1 || !seen.isAlone) {
      const candidates = agreeing.length > 0 ? agreeing : fresh;
      throw new TriviumError(
        `${maybe} The list contains new ones that might be another client's (${candidates.join(", ")}), so it cannot be identified. ${deleteIt}`,
      );
    }
    this.created.add(id);
    return id;
  }
}

/** @internal */
export const totpMethodDefinition = defineResource(secretsService, fields)("secrets/mfa:TotpMethod", {
  rules: [
    needs("adopt", "name", ", because methods are found by their names"),
    {
      between: ["name"],
      // The service keeps the name if it gets an empty one.
      check: ({ name }, _dialect, former) =>
        isGiven(former?.name) &&
        !isGiven(name) && {
          argument: "name",
          reason: "cannot be removed, only changed: the service keeps it",
        },
    },
  ],
  identity: {
    idIs: "the method's id",
    claims: ({ name }) => (isGiven(name) ? [{ key: `name ${name}`, what: `name: ${name}` }] : []),
  },
  updatesWholeObject: true,
  importedBy: { option: "mfa", ids: (client) => totpMethods.ownIds(client) },

  // Two methods without names can have the same arguments, so creations that wait for their IDs exclude each
  // other.
  turn({ client, managed }, { name }) {
    const unnamed = managed.size === 0 ? client.sharedState(Creations) : undefined;
    return isGiven(name) ? totpMethods.path : unnamed;
  },
  // A name is unique.
  deleteBeforeReplace: ({ name }) => isGiven(name) && name !== "",

  look: async ({ client }, { name = "" }): Promise<Look<Seen>> =>
    name === ""
      ? { seen: await client.sharedState(Creations).before(client) }
      : { existing: await totpMethods.find(client, name) },

  async recover({ client }, desired, seen) {
    return seen === undefined
      ? totpMethods.find(client, desired.name ?? "")
      : { id: await client.sharedState(Creations).after(client, desired, seen), state: {} };
  },

  async create({ client }, desired) {
    const body = fields.in(client.dialect.name).request(desired);
    const isNamed = isGiven(desired.name);
    const creation = totpMethods.create(client, describe(desired), body, isNamed);
    const id = await (isNamed ? creation : client.sharedState(Creations).id(creation));
    return { id, state: {} };
  },

  read: ({ client }, id, current) => totpMethods.readAmong(client, id, current),

  async update({ client }, id, desired) {
    await totpMethods.update(client, id, fields.in(client.dialect.name).request(desired));
    return {};
  },

  delete: ({ client }, id) => totpMethods.delete(client, id),
});

export interface TotpMethod extends OutputsOf<typeof rows> {}

/**
 * A TOTP method (time-based one-time passwords) of the secrets service (Vault or OpenBao): users confirm a
 * login with a code from an authenticator app.
 *
 * The service assigns the ID. An existing method can only be adopted by its `name`, which only exists in the
 * hashicorp dialect. A method that a login enforcement uses cannot be deleted. All drift is detected.
 *
 * A change does not affect users who have already enrolled: their apps and secrets keep the former values
 * until a new {@link TotpSecret} is generated.
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
 */
export class TotpMethod extends ReadableResource<TotpMethodArgs> {
  /** @internal */
  static override readonly definition = totpMethodDefinition;
}

const idRows = {
  /** The method's ID. */
  id: pathName(),
};

/** The arguments of {@link getTotpMethod}. */
export interface GetTotpMethodArgs extends PlainArgsOf<typeof idRows>, Named {}

/** The arguments of {@link getTotpMethodOutput}. */
export type GetTotpMethodOutputArgs = InputsOf<GetTotpMethodArgs>;

/** A TOTP method as functions return it; null for values that the service does not return. */
export type GetTotpMethodResult = ResultOf<TotpMethod>;

const getDefinition = defineFunction(secretsService, idRows)(
  "secrets.mfa.getTotpMethod",
  (client, { id }): Promise<GetTotpMethodResult> => totpMethods.get(client, id),
);

/**
 * Reads a TOTP method.
 *
 * @throws {@link errors.NotFoundError} if the method does not exist
 */
export const getTotpMethod = promiseForm<GetTotpMethodArgs, GetTotpMethodResult>(getDefinition);

/**
 * Reads a TOTP method, with arguments that can be outputs of resources. In a preview that creates one of
 * these resources, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getTotpMethodOutput = outputForm<GetTotpMethodOutputArgs, GetTotpMethodResult>(getDefinition);

/** {@link listTotpMethods} takes no arguments. */
export type ListTotpMethodsArgs = Record<string, never>;

/** {@link listTotpMethodsOutput} takes no arguments. */
export type ListTotpMethodsOutputArgs = Record<string, never>;

/** The result of {@link listTotpMethods}. */
export interface ListTotpMethodsResult {
  /** The IDs of the methods in the caller's namespace and those above it. */
  readonly ids: string[];
  /** The methods in the same order; null if the service only returns their IDs, as documented. */
  readonly methods: GetTotpMethodResult[] | null;
}

const listDefinition = defineFunction(secretsService, {})(
  "secrets.mfa.listTotpMethods",
  (client): Promise<ListTotpMethodsResult> => totpMethods.details(client),
);

/**
 * Lists the TOTP methods in the caller's namespace and those above it.
 *
 * @throws {@link errors.ServiceError} if the service returns an error
 */
export const listTotpMethods = promiseForm<ListTotpMethodsArgs | undefined, ListTotpMethodsResult>(
  listDefinition,
);

/**
 * Lists the TOTP methods, once the resources in the options exist.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listTotpMethodsOutput = outputForm<ListTotpMethodsOutputArgs | undefined, ListTotpMethodsResult>(
  listDefinition,
);
