/** The name of the resource in the program. */
export function nameInUrn(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}
