import { join } from "node:path";
import { startEmulator } from "pulumi-trivium/testing";
import { directoriesOnPath, isExecutable } from "../scripts/programs";
import type { Row } from "./table";
import { ratio, takeTurns } from "./turns";
import { type Up, Ups } from "./ups";

const plugin = "pulumi-resource-vault";
const rounds = 3;

/**
 * How long `pulumi up` takes with the library and with the bridged native provider for the same service: the one that
 * VAULT_ADDR and VAULT_TOKEN name, else the emulator in its dialect.
 */
export async function bridged(): Promise<Row> {
  const row: Row = {
    what: "up of 200 TOTP methods, beside the bridged native provider",
    how: `time of \`pulumi up --yes --skip-preview\`, median of the ratios of ${rounds} rounds; the other is ${plugin} from PATH`,
    unit: "x",
    figures: [],
    skipped: `${plugin} is not on PATH`,
    goal: { bound: "most", value: 0.75 },
  };
  if (!isOnPath(plugin)) {
    return row;
  }
  const emulator = await startEmulator({ dialect: { secrets: "hashicorp" } });
  const ups = new Ups(emulator);
  try {
    const { address, token } = emulator.secrets;
    const { VAULT_ADDR = address, VAULT_TOKEN = token } = process.env;
    const environment = {
      SECRETS_ADDR: VAULT_ADDR,
      SECRETS_TOKEN: VAULT_TOKEN,
      SECRETS_DIALECT: "hashicorp",
      VAULT_ADDR,
      VAULT_TOKEN,
      TERRAFORM_VAULT_SKIP_CHILD_TOKEN: "true",
    };
    const up = (variant: Up["variant"]) => () =>
      ups.up({ variant, resourceClass: "TotpMethod", count: 200, environment });
    const times = await takeTurns({ library: up("library"), bridged: up("bridged") }, rounds);
    return { ...row, figures: [ratio(times.library, times.bridged)] };
  } finally {
    ups.remove();
    await emulator.close();
  }
}

function isOnPath(program: string): boolean {
  return directoriesOnPath(process.env).some((directory) => isExecutable(join(directory, program)));
}
