import { checkInputs, type Creation, startProvider } from "./creation";

export type EngineMessage =
  { readonly provider: number } | { readonly done: true } | { readonly failed: string };

/** The part of an engine that creates one resource, in a process that can be killed. */
async function run(creation: Creation): Promise<void> {
  const provider = await startProvider(creation);
  tell({ provider: provider.id ?? 0 });
  try {
    await provider.create(await checkInputs(provider, creation));
    tell({ done: true });
  } catch (error) {
    tell({ failed: String(error) });
  }
}

function tell(message: EngineMessage): void {
  process.send?.(message);
}

process.once("message", (creation) => void run(creation as Creation));
