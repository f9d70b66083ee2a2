import { startEmulator } from "../../sdk/testing";
import { casesIn, functions, newFixtures } from "../../tests/cases/functions";
import { emulatedTokens } from "../../tests/cases/support/emulated-services";
import { lineOf } from "./record";

/** The requests of each function to a product, as the emulator's journal shows them. */
export async function recordFunctions(): Promise<ReadonlyMap<string, readonly string[]>> {
  const emulator = await startEmulator({ dialect: "hashicorp", tokens: emulatedTokens });
  const before = { ...process.env };
  try {
    const recorded = new Map<string, readonly string[]>();
    const cases = Object.entries(casesIn("hashicorp")).sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [name, { valid, token, extras }] of cases) {
      const fixtures = await newFixtures(emulator, extras, "hashicorp");
      const args = valid(fixtures);
      Object.assign(process.env, emulator.environment, {
        TRIVIUM_DIALECT: "hashicorp",
        SECRETS_TOKEN: token?.(fixtures) ?? emulatedTokens.secrets,
      });
      emulator.journal.clear();
      await functions.get(name)?.(args);
      const texts = Object.entries(args).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      );
      const values = new Map(texts.map(([argument, value]) => [value, argument]));
      recorded.set(
        name,
        [...new Set(emulator.journal.requests().map((request) => lineOf(request, values)))].sort(),
      );
    }
    return recorded;
  } finally {
    process.env = before;
    await emulator.close();
  }
}
