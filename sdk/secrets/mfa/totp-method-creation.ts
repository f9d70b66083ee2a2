import { mayHaveBeenProcessed, ServiceError, TriviumError } from "../../base/errors";
import { builtOnce } from "../../base/validation";
import { messageOf } from "../../resource/failure";
import { nameInAnswer } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import { SharedLock } from "./shared-lock";
import {
  listTotpMethodIds,
  readTotpMethod,
  totpMethodBody,
  totpMethods,
  type WantedTotpMethod,
} from "./totp-method-wire";

const createdMethod = builtOnce((z) =>
  z.object({ method_id: nameInAnswer(z).optional(), id: nameInAnswer(z).optional() }),
);

/** A creation whose answer did not name the method. */
interface Unnamed {
  /** The methods that were there before; `undefined` when they may not be listed. */
  readonly before: ReadonlySet<string> | undefined;
  /** Why there was no answer; `undefined` when there was one. */
  readonly error: unknown;
}

/**
 * Creates TOTP methods, which have no name by which one could be found: each request makes another one, and where
 * the answer names none, the new one is what a list has that it had not before. So that other creations of this
 * process are no part of that difference, it is looked for while there are none.
 */
export class TotpMethodCreations {
  private readonly lock = new SharedLock();
  private readonly created = new Set<string>();
  private listing: Promise<unknown> = Promise.resolve();
  private nextListing: Promise<ReadonlySet<string> | undefined> | undefined;
  /** Services whose answers name the new method can create several at once. */
  private answersName = false;

  /**
   * @returns the id of the new method
   * @throws TriviumError that says what may exist, when the new method cannot be told from others
   */
  async create(client: SecretsClient, wanted: WantedTotpMethod): Promise<string> {
    if (!this.answersName) {
      return this.lock.exclusive(async () => {
        const outcome = await this.attempt(client, wanted);
        return typeof outcome === "string" ? outcome : this.search(client.afterwards(), wanted, outcome);
      });
    }
    const outcome = await this.lock.shared(() => this.attempt(client, wanted));
    return typeof outcome === "string"
      ? outcome
      : this.lock.exclusive(() => this.search(client.afterwards(), wanted, outcome));
  }

  private async attempt(client: SecretsClient, wanted: WantedTotpMethod): Promise<string | Unnamed> {
    const before = await this.existing(client);
    try {
      const created = await client.act({
        summary: `create the TOTP method of the issuer ${JSON.stringify(wanted.issuer)}`,
        path: totpMethods,
        body: totpMethodBody(wanted),
        data: createdMethod,
      });
      const id = created?.method_id ?? created?.id;
      if (id === undefined) {
        return { before, error: undefined };
      }
      this.answersName = true;
      this.created.add(id);
      return id;
    } catch (error) {
      if (!mayHaveBeenProcessed(error)) {
        throw error;
      }
      return { before, error };
    }
  }

  /**
   * What was there right before a creation. One list serves all creations that wait for it; it begins after each of
   * them: a list that was begun earlier may lack what somebody else has made since.
   */
  private existing(client: SecretsClient): Promise<ReadonlySet<string> | undefined> {
    this.nextListing ??= this.listing
      .catch(() => undefined)
      .then(() => {
        this.nextListing = undefined;
        const listing = idsOf(client);
        this.listing = listing;
        return listing;
      });
    return this.nextListing;
  }

  private async search(client: SecretsClient, wanted: WantedTotpMethod, unnamed: Unnamed): Promise<string> {
    const { before, error } = unnamed;
    const problem =
      error === undefined
        ? `The secrets service created the TOTP method of the issuer ${JSON.stringify(wanted.issuer)} without naming it.`
        : `${messageOf(error)} The TOTP method may have been created all the same.`;
    const give = (hint: string): TriviumError => new TriviumError(problem, { hint });
    const now = await idsOf(client).catch((failure: unknown) => {
      throw give(`Looking for it failed: ${messageOf(failure)} ${deleteIt}`);
    });
    if (before === undefined || now === undefined) {
      throw give(`This token may not list the methods, so it cannot be found. ${deleteIt}`);
    }
    const fresh = [...now].filter((id) => !before.has(id) && !this.created.has(id));
    const [id] = fresh;
    if (id === undefined) {
      throw error === undefined
        ? give(`The list of methods has no new one. ${deleteIt}`)
        : new TriviumError(messageOf(error), {
            hint:
              "The list of TOTP methods has no new one. Run `pulumi up` again. If the service was only slow, the TOTP " +
              "method may still be created: delete then the one that is not in state.",
          });
    }
    if (fresh.length > 1 || !(await hasFields(client, id, wanted))) {
      throw give(
        `The methods that are new are ${fresh.join(", ")}: which is its own cannot be told. ${deleteIt}`,
      );
    }
    this.created.add(id);
    return id;
  }
}

const deleteIt = "Delete in the service what nobody else uses, and run `pulumi up` again.";

async function idsOf(client: SecretsClient): Promise<ReadonlySet<string> | undefined> {
  try {
    return new Set(await listTotpMethodIds(client));
  } catch (error) {
    if (ServiceError.isInstance(error) && error.status === 403) {
      return undefined;
    }
    throw error;
  }
}

/** Whether a method is as a request has asked for, as far as the service tells. */
async function hasFields(client: SecretsClient, id: string, wanted: WantedTotpMethod): Promise<boolean> {
  const state = await readTotpMethod(client, id);
  return (
    state !== undefined &&
    (Object.keys(wanted) as (keyof WantedTotpMethod)[]).every(
      (name) => wanted[name] === undefined || state[name] === undefined || state[name] === wanted[name],
    )
  );
}
