import type { Service } from "./response";
import { Exchange, type SharedByServices } from "./exchange";
import type { Statistics } from "./journal";
import { Server, type ServerOptions } from "./server";
import type { ServiceName } from "./dialect";
import type { TokenControl, TokenOptions, Tokens } from "./tokens";

/** The common members of all three services. */
export interface ServiceEmulator<Options extends TokenOptions> extends TokenControl {
  /** Its origin, such as `http://127.0.0.1:40123`. */
  readonly address: string;
  /** Counters of its requests, as they are now. */
  readonly statistics: Statistics;
  /** Adds a token, by default with all permissions. @returns the token */
  addToken(options?: Options): string;
}

/** A service with its tokens, behind a server of its own. */
export class RunningService<Rights> {
  readonly server: Server;

  constructor(
    readonly name: ServiceName,
    service: Service<Rights>,
    readonly tokens: Tokens<Rights>,
    private readonly shared: SharedByServices,
    listening: ServerOptions,
  ) {
    const parts = { ...shared, name, service, tokens, address: () => this.server.address };
    this.server = new Server(listening, (message, response) => {
      void new Exchange(parts, message, response).run();
    });
  }

  /** @param rightsOf the rights that the options of an additional token describe */
  handle<Options extends TokenOptions>(
    rightsOf: (options: Options | undefined) => Rights,
  ): ServiceEmulator<Options> {
    const { server, tokens, name, shared } = this;
    return {
      get address() {
        return server.address;
      },
      get token() {
        return tokens.main;
      },
      get statistics() {
        return shared.journal.statistics(name);
      },
      addToken: (options) => tokens.add(options ?? {}, rightsOf(options)),
      revokeToken: (token) => {
        tokens.revoke(token);
      },
      rotateToken: (token) => tokens.rotate(token),
    };
  }
}
