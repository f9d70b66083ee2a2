/** The name that the program gave the resource. */
export function nameInUrn(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}
