import { Turns } from "../../base/turns";
import { mayHaveBeenProcessed, messageOf, TriviumError } from "../../base/errors";

export interface UnnamedObject {
  /** For messages: `TOTP method of the issuer "Acme"`. */
  readonly what: string;
  /** For messages: `TOTP methods`. */
  readonly all: string;
  /** The request that creates it: `POST /v1/...`. */
  readonly request: string;
  /** @returns the id, if the response contains it */
  readonly post: () => Promise<string | undefined>;
  /** @returns `undefined` when the token may not list them */
  readonly list: () => Promise<readonly string[] | undefined>;
  readonly isAsDesired: (id: string) => Promise<boolean>;
}

interface Unnamed {
  /** `undefined` when the token may not list them. */
  readonly before: Ids | undefined;
  readonly error: unknown;
}

type Ids = ReadonlySet<string>;

/**
 * Each creation makes another object, and if the response has no id, the object is the new one in the list. So the
 * first creation runs alone, after a list; once a response has contained an id, creations run in parallel. What
 * appears while they do may be another client's, so it is named and not adopted.
 */
export class UnnamedCreations {
  private readonly turns = new Turns();
  private readonly sideBySide = new Set<Promise<unknown>>();
  private readonly created = new Set<string>();
  private listed: Ids | undefined;
  private responsesTell = false;

  /** @throws TriviumError that says what may exist, when the new object cannot be identified */
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

  /** @returns `undefined` if it no longer needs to run alone; nothing was done then */
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
        ? `The service created the ${what} without returning its id: ${object.request}.`
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
