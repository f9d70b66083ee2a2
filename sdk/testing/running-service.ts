import type { Service } from "./answer";
import { Exchange, type ExchangeSurroundings } from "./exchange";
import type { Statistics } from "./journal";
import type { EmulatorOptions } from "./options";
import { Server } from "./server";
import type { ServiceName } from "./dialect";
import { newToken, Tokens, type TokenControl, type TokenOptions } from "./tokens";

/** What the handles of all three services have. */
export interface ServiceEmulator<Options extends TokenOptions> extends TokenControl {
  /** Its origin, such as `http://127.0.0.1:40123`. */
  readonly address: string;
  /** Counters of its requests, as they are now. */
  readonly statistics: Statistics;
  /** Adds a token, with all rights unless told otherwise. @returns the token */
  addToken(options?: Options): string;
}

/** A service with its tokens, behind a server of its own. */
export class RunningService<Rights> {
  readonly server: Server;
  readonly tokens: Tokens<Rights>;

  /** @param allRights those of the service's own token */
  constructor(
    readonly name: ServiceName,
    options: EmulatorOptions,
    private readonly surroundings: ExchangeSurroundings,
    service: Service<Rights>,
    allRights: Rights,
  ) {
    const { host = "127.0.0.1", ports = {}, tokens = {}, tls } = options;
    this.tokens = new Tokens(tokens[name] ?? newToken(), allRights);
    const own = { name, service, tokens: this.tokens, address: () => this.server.address };
    const understandsList = name === "secrets";
    this.server = new Server({ host, port: ports[name] ?? 0, tls, understandsList }, (message, response) => {
      void new Exchange({ ...own, ...surroundings }, message, response).run();
    });
  }

  /** @param rightsOf the rights that the options of an additional token describe */
  handle<Options extends TokenOptions>(
    rightsOf: (options: Options | undefined) => Rights,
  ): ServiceEmulator<Options> {
    const { server, tokens, name, surroundings } = this;
    return {
      get address() {
        return server.address;
      },
      get token() {
        return tokens.main;
      },
      get statistics() {
        return surroundings.journal.statistics(name);
      },
      addToken: (options) => tokens.add(options ?? {}, rightsOf(options)),
      revokeToken: (token) => {
        tokens.revoke(token);
      },
      rotateToken: (token) => tokens.rotate(token),
    };
  }
}
