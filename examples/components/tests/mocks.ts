import * as pulumi from "@pulumi/pulumi";

/** A resource that a component declared. */
export interface Declared {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The provider that manages it, empty for the stack's default. */
  readonly provider: string;
}

/** The resources and calls of a test. */
export interface Mocked {
  readonly resources: Declared[];
  readonly calls: pulumi.runtime.MockCallArgs[];
}

/**
 * Runs the tests of the calling suite without an engine or services. A resource gets the ID `<name>-id`, and its
 * arguments as outputs.
 *
 * @param outputs what the services would add to a resource of a type
 * @param response what functions return
 */
export function useMocks(
  outputs: (type: string) => object = () => ({}),
  response: pulumi.runtime.Mocks["call"] = () => ({}),
): Mocked {
  const mocked: Mocked = { resources: [], calls: [] };
  beforeEach(async () => {
    mocked.resources.length = 0;
    mocked.calls.length = 0;
    await pulumi.runtime.setMocks({
      newResource({ type, name, inputs, provider = "" }) {
        mocked.resources.push({ type, name, inputs: inputs as Declared["inputs"], provider });
        return { id: `${name}-id`, state: { ...(inputs as object), ...outputs(type) } };
      },
      call(args) {
        mocked.calls.push(args);
        return response(args);
      },
    });
  });
  return mocked;
}

/** The value of an output. */
export function valueOf<Value>(output: pulumi.Output<Value>): Promise<pulumi.Unwrap<Value>> {
  return new Promise((resolve) => pulumi.output(output).apply(resolve));
}

/** Runs a function that declares resources, and waits until all of them are declared. */
export async function declare<Result>(program: () => Result): Promise<Result> {
  const result = program();
  await pulumi.runtime.disconnect();
  return result;
}
