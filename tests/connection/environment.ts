/**
 * Sets environment variables for the tests of the suite that calls it; every one of the services' and products' own is
 * unset unless it is named. Afterwards all are as before.
 */
export function useEnvironment(values: () => Readonly<Record<string, string>>): void {
  let before: NodeJS.ProcessEnv;

  beforeEach(() => {
    before = { ...process.env };
    const ours = Object.keys(process.env).filter((name) =>
      /^(TRIVIUM|PROVISIONING|SECRETS|SCHEDULER|TFE|VAULT|NOMAD)_/.test(name),
    );
    replace(ours, values());
  });
  afterEach(() => {
    const added = Object.keys(process.env).filter((name) => !(name in before));
    replace(added, before);
  });
}

function replace(removed: readonly string[], added: NodeJS.ProcessEnv): void {
  removed.forEach((name) => Reflect.deleteProperty(process.env, name));
  Object.assign(process.env, added);
}
