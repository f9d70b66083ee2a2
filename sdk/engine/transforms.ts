/**
 * Completes what a program registers, after all transformations. Without this step, only what the constructor
 * knows is registered.
 */
import type * as pulumi from "@pulumi/pulumi";
import { succeeds } from "../base/errors";
import { AsyncResource } from "node:async_hooks";
import { requireFromSdk } from "./sdk-modules";

type Completed = Pick<pulumi.ResourceTransformationResult, "props" | "opts">;
type Complete = (registered: Completed) => Completed | undefined;

/**
 * Runs after all other transformations of a resource, including those of its parents and of the stack, which
 * come after those of its options. To do so, it adds itself again at the end of the list that the SDK is
 * about to process.
 */
export function lastTransformation(complete: Complete): pulumi.ResourceTransformation {
  const own = ({ resource, props, opts }: pulumi.ResourceTransformationArgs): Completed | undefined => {
    const list: unknown = Reflect.get(resource, "__transformations");
    if (!Array.isArray(list) || !list.includes(own)) {
      return complete({ props, opts });
    }
    const isLast = ({ props, opts }: pulumi.ResourceTransformationArgs) => complete({ props, opts });
    list.push(isLast);
    // Children inherit the other transformations.
    Reflect.set(
      resource,
      "__transformations",
      list.filter((each) => each !== own && each !== isLast),
    );
    return undefined;
  };
  return own;
}

type Transform = pulumi.ResourceTransform;
type CompleteLater = (
  args: pulumi.ResourceTransformArgs,
  result: Completed,
) => Promise<Completed | undefined>;

/**
 * The engine calls these back, each with the result of the one before, in an order that depends on the
 * program. Each of them is therefore completed.
 *
 * @returns false if the SDK's transforms cannot be completed
 */
export function completeTransforms(complete: CompleteLater): boolean {
  return succeeds(() => {
    const { CallbackServer } = requireFromSdk<{
      readonly CallbackServer: { readonly prototype: { registerTransform: unknown } };
    }>("@pulumi/pulumi/runtime/callbacks");
    const { prototype } = CallbackServer;
    const registerTransform: unknown = prototype.registerTransform;
    if (typeof registerTransform !== "function") {
      throw new TypeError("The SDK registers transforms elsewhere.");
    }
    prototype.registerTransform = function (this: unknown, transform: Transform): unknown {
      // The callback itself runs outside the program, of which a process can have several.
      const inProgram = AsyncResource.bind(complete);
      const completed: Transform = async (args) => {
        const result = await transform(args);
        return result && ((await inProgram(args, result)) ?? result);
      };
      return Reflect.apply(registerTransform, this, [completed]) as unknown;
    };
  });
}
