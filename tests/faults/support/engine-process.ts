import { checkInputs, type Creation, startProvider } from "./creation";

/** What an engine tells the process that has started it. */
export type EngineMessage =
  { readonly provider: number } | { readonly done: true } | { readonly failed: string };

/** Does the part of an engine that creates one resource, in a process of its own, which can be killed. */
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
