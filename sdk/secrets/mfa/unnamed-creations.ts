import { Turns } from "../../base/turns";
import { mayHaveBeenProcessed, messageOf, TriviumError } from "../../base/errors";

/** The requests by which an object without a name is created and found. */
export interface UnnamedObject {
  /** As messages name it: `TOTP method of the issuer "Acme"`. */
  readonly what: string;
  /** All objects of its kind: `TOTP methods`. */
  readonly all: string;
  /** @returns the id of the new object, where the response tells it */
  readonly post: () => Promise<string | undefined>;
  /** @returns the ids of all objects; `undefined` when they may not be listed */
  readonly list: () => Promise<readonly string[] | undefined>;
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

/**
 * Creates objects without a unique name: each request creates another one, and if the response does not
 * contain the id, the new object is the one that is new in the list. So the first creation runs alone, after a
 * list. Once a response has told the id, creations run side by side without further lists, until a response is
 * lost. What is new since the list may then be another client's, so it is named and not adopted.
 */
export class UnnamedCreations {
  private readonly turns = new Turns();
  private readonly sideBySide = new Set<Promise<unknown>>();
  private readonly created = new Set<string>();
  private listed: Ids | undefined;
  private responsesTell = false;

  /**
   * @param afterwards the same requests, for looking what became of the creation
   * @returns the id of the new object
   * @throws TriviumError that says what may exist, when the new object cannot be told from others
   */
  async create(object: UnnamedObject, afterwards: () => UnnamedObject): Promise<string> {
    if (!this.responsesTell) {
      const id = await this.turns.run("", () => this.createAlone(object, afterwards));
      return id ?? this.create(object, afterwards);
    }
    const attempt = this.attempt(object);
    this.sideBySide.add(attempt);
    const outcome = await attempt.finally(() => this.sideBySide.delete(attempt));
    return typeof outcome === "string"
      ? outcome
      : this.turns.run("", () => this.search(afterwards(), outcome, false));
  }

  /** @returns `undefined` when it need not be alone any more, and nothing was done */
  private async createAlone(
    object: UnnamedObject,
    afterwards: () => UnnamedObject,
  ): Promise<string | undefined> {
    if (this.responsesTell) {
      return undefined;
    }
    await Promise.allSettled(this.sideBySide);
    this.listed = await idsOf(object);
    const outcome = await this.attempt(object);
    return typeof outcome === "string" ? outcome : this.search(afterwards(), outcome, true);
  }

  private async attempt(object: UnnamedObject): Promise<string | Unnamed> {
    const before = this.listed;
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

  /** @param wasAlone whether the list was read right before the creation */
  private async search(
    object: UnnamedObject,
    { before, error }: Unnamed,
    wasAlone: boolean,
  ): Promise<string> {
    const { what, all } = object;
    this.responsesTell = false;
    await Promise.allSettled(this.sideBySide);
    const deleteIt = `Delete the ${all} that are not in use, and run \`pulumi up\` again.`;
    const problem =
      error === undefined
        ? `The service created the ${what} without returning its id.`
        : `${messageOf(error)} The ${what} may nevertheless have been created.`;
    const give = (advice: string): TriviumError =>
      new TriviumError(problem, { advice, mayHaveBeenProcessed: true });
    const now = await idsOf(object).catch((failure: unknown) => {
      throw give(`The search for it failed: ${messageOf(failure)} ${deleteIt}`);
    });
    if (before === undefined || now === undefined) {
      throw give(`The token may not list the ${all}, so it cannot be found. ${deleteIt}`);
    }
    this.listed = now;
    const fresh = [...now].filter((id) => !before.has(id) && !this.created.has(id));
    if (fresh.length === 0) {
      throw error === undefined
        ? give(`The list of ${all} contains no new one. ${deleteIt}`)
        : new TriviumError(messageOf(error), {
            advice:
              `The list of ${all} contains no new one. Run \`pulumi up\` again. If the service was only slow, a second one ` +
              "may appear: delete the one that is not in state.",
            mayHaveBeenProcessed: true,
          });
    }
    const agree = await Promise.all(fresh.map((id) => object.isAsDesired(id).catch(() => false)));
    const agreeing = fresh.filter((_id, index) => agree[index]);
    const [id] = agreeing;
    if (id === undefined || agreeing.length > 1 || !wasAlone) {
      const candidates = agreeing.length > 0 ? agreeing : fresh;
      throw give(
        `The list contains new ones that may be another client's (${candidates.join(", ")}), so it cannot be identified. ${deleteIt}`,
      );
    }
    this.created.add(id);
    return id;
  }
}

async function idsOf(object: UnnamedObject): Promise<Ids | undefined> {
  const ids = await object.list();
  return ids === undefined ? undefined : new Set(ids);
}
