import { mayHaveBeenProcessed, messageOf, TriviumError } from "../../base/errors";
import { SharedWork } from "../../base/shared-work";
import type { Caller } from "../../base/caller";

/** The requests by which an object without a name is created and found. */
export interface UnnamedObject {
  /** As messages name it: `TOTP method of the issuer "Acme"`. */
  readonly what: string;
  /** All objects of its kind: `TOTP methods`. */
  readonly all: string;
  /** @returns the id of the new object, where the response tells it */
  readonly post: () => Promise<string | undefined>;
  /** On whose behalf it is created. */
  readonly caller: Caller;
  /** @returns the ids of all objects; `undefined` when they may not be listed */
  readonly list: (caller: Caller) => Promise<readonly string[] | undefined>;
  /** Whether an object is as the creation asked for, as far as the service tells. */
  readonly isAsDesired: (id: string) => Promise<boolean>;
}

/** A creation whose response did not tell the id. */
interface Unnamed {
  /** The objects that were there before; `undefined` when they may not be listed. */
  readonly before: Ids | undefined;
  /** Why there was no response; `undefined` when there was one. */
  readonly error: unknown;
}

type Ids = ReadonlySet<string>;

/** A list that has not begun yet. */
interface NextListing {
  readonly work: SharedWork;
  readonly ids: Promise<Ids | undefined>;
}

/**
 * Creates objects without a unique name: each request creates another one, and if the response does not
 * contain the id, the new object is the one that is new in the list. The lookup excludes other creations of
 * this process, so that they are not part of the difference.
 */
export class UnnamedCreations {
  private readonly lock = new SharedLock();
  private readonly created = new Set<string>();
  private listing: Promise<unknown> = Promise.resolve();
  private nextListing: NextListing | undefined;
  /** If responses contain the id, objects can be created concurrently. */
  private responsesTell = false;

  /**
   * @param afterwards the same requests, for looking what became of the creation
   * @returns the id of the new object
   * @throws TriviumError that says what may exist, when the new object cannot be told from others
   */
  async create(object: UnnamedObject, afterwards: () => UnnamedObject): Promise<string> {
    if (!this.responsesTell) {
      return this.lock.exclusive(async () => {
        const outcome = await this.attempt(object);
        return typeof outcome === "string" ? outcome : this.search(afterwards(), outcome);
      });
    }
    const outcome = await this.lock.shared(() => this.attempt(object));
    return typeof outcome === "string"
      ? outcome
      : this.lock.exclusive(() => this.search(afterwards(), outcome));
  }

  private async attempt(object: UnnamedObject): Promise<string | Unnamed> {
    const before = await this.existing(object);
    try {
      const id = await object.post();
      if (id === undefined) {
        return { before, error: undefined };
      }
      this.responsesTell = true;
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
   * What was there right before a creation. One list serves all creations that wait for it; it begins after
   * each of them: a list that was begun earlier may lack what another client has made since.
   */
  private existing(object: UnnamedObject): Promise<Ids | undefined> {
    if (this.nextListing === undefined || this.nextListing.work.isCancelled) {
      this.nextListing = this.beginLater(object);
    }
    const { work, ids } = this.nextListing;
    return work.wait(object.caller, ids);
  }

  private beginLater(object: UnnamedObject): NextListing {
    const work = new SharedWork();
    const ids = this.listing
      .catch(() => undefined)
      .then(() => {
        this.nextListing = this.nextListing === next ? undefined : this.nextListing;
        return idsOf(object, work.caller);
      });
    const next = { work, ids };
    this.listing = ids;
    return next;
  }

  private async search(object: UnnamedObject, { before, error }: Unnamed): Promise<string> {
    const { what, all } = object;
    const deleteIt = `Delete the ${all} that are not in use, and run \`pulumi up\` again.`;
    const problem =
      error === undefined
        ? `The service created the ${what} without returning its id.`
        : `${messageOf(error)} The ${what} may nevertheless have been created.`;
    const give = (hint: string): TriviumError =>
      new TriviumError(problem, { hint, mayHaveBeenProcessed: true });
    const now = await idsOf(object, object.caller).catch((failure: unknown) => {
      throw give(`The search for it failed: ${messageOf(failure)} ${deleteIt}`);
    });
    if (before === undefined || now === undefined) {
      throw give(`The token may not list the ${all}, so it cannot be found. ${deleteIt}`);
    }
    const fresh = [...now].filter((id) => !before.has(id) && !this.created.has(id));
    const [id] = fresh;
    if (id === undefined) {
      throw error === undefined
        ? give(`The list of ${all} contains no new one. ${deleteIt}`)
        : new TriviumError(messageOf(error), {
            hint:
              `The list of ${all} contains no new one. Run \`pulumi up\` again. If the service was only slow, a second one ` +
              "may appear: delete the one that is not in state.",
            mayHaveBeenProcessed: true,
          });
    }
    if (fresh.length > 1 || !(await object.isAsDesired(id))) {
      throw give(
        `The list contains several new ones or one with other arguments (${fresh.join(", ")}), so it cannot be identified. ${deleteIt}`,
      );
    }
    this.created.add(id);
    return id;
  }
}

async function idsOf(object: UnnamedObject, caller: Caller): Promise<Ids | undefined> {
  const ids = await object.list(caller);
  return ids === undefined ? undefined : new Set(ids);
}

/** Readers-writer lock, first come first served. */
export class SharedLock {
  private alone: Promise<unknown> = Promise.resolve();
  private readonly together = new Set<Promise<unknown>>();

  /** Runs concurrently with other shared work. */
  shared<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.alone.then(work);
    const settled = settlementOf(result);
    this.together.add(settled);
    void settled.then(() => this.together.delete(settled));
    return result;
  }

  /** Runs after all earlier work, and before all later work. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = Promise.all([this.alone, ...this.together]).then(work);
    this.alone = settlementOf(result);
    return result;
  }
}

function settlementOf(result: Promise<unknown>): Promise<unknown> {
  return result.catch(() => undefined);
}
