import { eitherType, type ValueType } from "./value";

/** The variables that can be seen at a place of a template. */
export class Scope {
  private readonly variables = new Map<string, ValueType>();

  constructor(private readonly outer?: Scope) {}

  declare(name: string, type: ValueType): void {
    this.variables.set(name, type);
  }

  /** `undefined` when there is no such variable. */
  typeOf(name: string): ValueType | undefined {
    return this.variables.get(name) ?? this.outer?.typeOf(name);
  }

  /**
   * Changes a variable. Whether that has happened can depend on a condition, so afterwards it may be either.
   *
   * @returns whether there is such a variable
   */
  assign(name: string, type: ValueType): boolean {
    const known = this.variables.get(name);
    if (known !== undefined) {
      this.variables.set(name, eitherType(known, type));
      return true;
    }
    return this.outer?.assign(name, type) ?? false;
  }
}
