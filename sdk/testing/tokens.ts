import { createHash, randomBytes, randomInt } from "node:crypto";
import type { TokenOptions } from "./schemas";

export interface Caller<Rights> {
  /** Shown in the journal instead of the token; `main` for the service's own. */
  readonly name: string;
  readonly rights: Rights;
  /** Salted: shows only whether two requests used the same token. */
  readonly tokenHash: string;
}

const salt = randomBytes(16);

export class Tokens<Rights> {
  private readonly callers = new Map<string, Caller<Rights>>();
  private readonly revocationListeners: ((caller: Caller<Rights>) => void)[] = [];
  private added = 0;

  /** @param current the service's own token */
  constructor(
    private current: string,
    allRights: Rights,
  ) {
    this.set(current, "main", allRights);
  }

  get main(): string {
    return this.current;
  }

  find(token: string | undefined): Caller<Rights> | undefined {
    return token === undefined ? undefined : this.callers.get(token);
  }

  /** @throws Error if the given token exists, which is a mistake in the test */
  add({ name, token = newToken() }: TokenOptions, rights: Rights): string {
    if (this.callers.has(token)) {
      throw new Error(
        `The emulator already has the token of ${JSON.stringify(this.callers.get(token)?.name)}.`,
      );
    }
    this.added += 1;
    this.set(token, name ?? `token-${this.added}`, rights);
    return token;
  }

  revoke(token: string): Caller<Rights> {
    const caller = this.callers.get(token);
    if (caller === undefined) {
      throw new Error("The emulator knows no such token: it was never added, or is revoked already.");
    }
    this.callers.delete(token);
    for (const listener of this.revocationListeners) {
      listener(caller);
    }
    return caller;
  }

  rotate(token: string = this.current): string {
    const caller = this.revoke(token);
    const successor = newToken();
    this.set(successor, caller.name, caller.rights);
    if (token === this.current) {
      this.current = successor;
    }
    return successor;
  }

  onRevoked(listener: (caller: Caller<Rights>) => void): void {
    this.revocationListeners.push(listener);
  }

  private set(token: string, name: string, rights: Rights): void {
    const tokenHash = createHash("sha256").update(salt).update(token).digest("hex");
    this.callers.set(token, { name, rights, tokenHash });
  }
}

const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";

/** Never repeated, even after a reset or by another emulator, so that a stale identifier is unknown. */
export function newIdentifier(prefix: string, length = 16): string {
  return prefix + randomText(length, alphabet);
}

export const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export function randomText(length: number, characters: string): string {
  const choices = Array.from(characters);
  return Array.from({ length }, () => choices[randomInt(choices.length)]).join("");
}

export function newToken(): string {
  return newIdentifier("token-", 32);
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}
