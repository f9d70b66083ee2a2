import { randomBytes } from "node:crypto";
import type { Directory } from "../cases/support/world";
import type { CleanUp } from "./clean-up";
import { Ldap } from "./ldap";
import type { DirectoryServer } from "./servers";

/** A folder of a real directory, which goes with everything in it. */
export class LiveDirectory implements Directory {
  readonly url: string;
  private readonly ldap: Ldap;
  private made: Promise<string> | undefined;

  constructor(
    private readonly server: DirectoryServer,
    private readonly cleanUp: CleanUp,
  ) {
    this.url = server.url;
    this.ldap = new Ldap(server);
  }

  base(): Promise<string> {
    this.made ??= this.makeBase();
    return this.made;
  }

  async add(name: string, password?: string): Promise<string> {
    const dn = `cn=${name},${await this.base()}`;
    await this.ldap.addPerson(dn, password);
    return dn;
  }

  administrator(): Promise<{ readonly dn: string; readonly password: string }> {
    return Promise.resolve({ dn: this.server.binddn, password: this.server.bindpass });
  }

  accepts(dn: string, password: string): Promise<boolean> {
    return this.ldap.accepts(dn, password);
  }

  below(dn: string): Promise<readonly string[]> {
    return this.ldap.below(dn);
  }

  private async makeBase(): Promise<string> {
    const dn = `ou=trivium-${randomBytes(4).toString("hex")},${this.server.userdn}`;
    this.cleanUp.add(`the entry ${dn}`, () => this.ldap.remove(dn));
    await this.ldap.addUnit(dn);
    return dn;
  }
}
