/**
 * Starts something before the tests of the calling suite, and closes it after the suite's last hook.
 *
 * @param what is started, for messages
 * @returns it, usable once tests run
 */
export function useRunning<Thing extends object>(
  what: string,
  start: () => Promise<Thing>,
  close: (thing: Thing) => unknown,
): Thing {
  let running: Thing | undefined;
  before(`start ${what}`, async function () {
    // The first one in a process might have to build or install something.
    this.timeout(900_000);
    const thing = (running = await start());
    // The suite is complete by now, so this runs after its own hooks, which might still need it.
    this.test?.parent?.afterAll(`close ${what}`, async () => {
      await close(thing);
    });
  });
  const started = (): Thing => {
    if (running === undefined) {
      throw new Error(`There is ${what} while tests run: use it in a test or a hook.`);
    }
    return running;
  };
  return new Proxy({} as Thing, {
    get(_target, name) {
      const thing = started();
      const member: unknown = Reflect.get(thing, name);
      return typeof member === "function" ? (member.bind(thing) as unknown) : member;
    },
    set: (_target, name, value) => Reflect.set(started(), name, value),
  });
}
