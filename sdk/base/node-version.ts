/** The same version as in package.json. Every entry point imports this file first. */
const oldest = "20.18.1";

const { node } = process.versions;

if (node.localeCompare(oldest, "en", { numeric: true }) < 0) {
  const message = `pulumi-trivium requires Node.js ${oldest} or newer, but this is ${node} (${process.execPath}).`;
  // The SDK prints no stack trace for an error with this property.
  throw Object.assign(new Error(message), { stack: message, __pulumiRunError: true });
}
