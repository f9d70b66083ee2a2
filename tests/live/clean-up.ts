/** What has to be taken away again, the last first. */
export class CleanUp {
  private readonly tasks: { readonly what: string; readonly take: () => Promise<unknown> }[] = [];

  /** @param what is said when it cannot be taken away */
  add(what: string, take: () => Promise<unknown>): void {
    this.tasks.push({ what, take });
  }

  /**
   * Takes all away, also after a failure.
   *
   * @throws Error that names what stays
   */
  async run(): Promise<void> {
    const failures: string[] = [];
    for (let task = this.tasks.pop(); task !== undefined; task = this.tasks.pop()) {
      try {
        await task.take();
      } catch (error) {
        failures.push(`${task.what}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    if (failures.length > 0) {
      throw new Error(`This could not be taken away and has to be by hand:\n${failures.join("\n")}`);
    }
  }
}
