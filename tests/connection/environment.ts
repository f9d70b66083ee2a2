import type { Sources } from "../../sdk/connection/sources";

type Values = Readonly<Record<string, string>>;

/** Sources of settings: environment variables and stack configuration, or the settings of a provider. */
export function sourcesWith(environment: Values, configuration: Values = {}): Sources {
  const values = new Map(Object.entries(configuration));
  return { configuration: { get: (key) => values.get(key) }, environment };
}

/**
 * Sets environment variables for the tests of the suite that calls it; every one of the services' and products' own is
 * unset unless it is named. Afterwards all are as before.
 */
export function useEnvironment(values: () => Readonly<Record<string, string>>): void {
  let restore = (): void => undefined;

  beforeEach(() => {
    const ours = Object.keys(process.env).filter((name) =>
      /^(TRIVIUM|PROVISIONING|SECRETS|SCHEDULER|TFE?|VAULT|BAO|NOMAD)_|_PROXY$/i.test(name),
    );
    restore = rememberEnvironment();
    replace(ours, values());
  });
  afterEach(() => restore());
}

/**
 * Remembers all environment variables.
 *
 * @returns puts them back, in the same object: others, such as the environment of the CLI, might keep a reference to it
 */
export function rememberEnvironment(): () => void {
  const before = { ...process.env };
  return () =>
    replace(
      Object.keys(process.env).filter((name) => !(name in before)),
      before,
    );
}

function replace(removed: readonly string[], added: NodeJS.ProcessEnv): void {
  removed.forEach((name) => Reflect.deleteProperty(process.env, name));
  Object.assign(process.env, added);
}
