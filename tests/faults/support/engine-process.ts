import { create, type Creation, startProvider } from "./creation";

/** The part of an engine that creates one resource, in a process that can be killed. Tells the provider's process id. */
async function run(creation: Creation): Promise<void> {
  const provider = await startProvider(creation);
  process.send?.(provider.id);
  await create(provider, creation);
  process.exit();
}

process.once("message", (creation) => void run(creation as Creation));
