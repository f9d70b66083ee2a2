/** `import trivium from` finds the library in CommonJS too, as it does in ES modules. */
export function allowDefaultImport(exported: object): void {
  Object.defineProperty(exported, "default", { value: exported });
}
