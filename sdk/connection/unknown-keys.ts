import * as pulumi from "@pulumi/pulumi";
import { nearestName } from "../base/nearest";
import { showable } from "../base/shown-text";
import {
  adapterKey,
  configurationKey,
  movedFromKey,
  serviceNames,
  settingsOf,
  sharedDialect,
} from "../base/settings";

const prefix = "trivium:";

const knownKeys: readonly string[] = [
  ...serviceNames.flatMap((service) => [
    ...settingsOf(service).map(([name]) => configurationKey(service, name)),
    movedFromKey(service),
  ]),
  sharedDialect.key,
  adapterKey,
];

export interface UnknownKey {
  readonly key: string;
  readonly meant: string | undefined;
}

export function unknownKeys(keys: Iterable<string>): readonly UnknownKey[] {
  return [...keys]
    .filter((key) => key.startsWith(prefix) && !knownKeys.includes(key))
    .map((key) => {
      const names = knownKeys.map((known) => known.slice(prefix.length));
      const near = nearestName(key.slice(prefix.length), names);
      return { key, meant: near === undefined ? undefined : `${prefix}${near}` };
    });
}

export function explainUnknownKey({ key, meant }: UnknownKey): {
  readonly problem: string;
  readonly advice: string;
} {
  return {
    problem: `${key} is not a valid configuration key, so it has no effect`,
    advice: `${meant === undefined ? "" : `Did you mean ${meant}? `}Remove it with \`pulumi config rm ${key}\`.`,
  };
}

const examined = new WeakSet<pulumi.Resource>();

export function warnOfUnknownKeys(): void {
  // One process can run several programs, in sequence or in parallel. Unit tests have no stack.
  const program = pulumi.runtime.getStackResource();
  if (program === undefined || examined.has(program)) {
    return;
  }
  examined.add(program);
  for (const unknown of unknownKeys(Object.keys(pulumi.runtime.allConfig()))) {
    const { problem, advice } = explainUnknownKey(unknown);
    void pulumi.log.warn(showable(`${problem}. ${advice}`));
  }
}
