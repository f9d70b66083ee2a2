import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import type { Change, LifecycleCase, Surroundings, Values } from "./case";

/** The arguments that one of a case's changes gives. */
export function changesTo<Around extends Surroundings>(change: Change<Around>, surroundings: Around): Values {
  return { ...change.also, [change.argument]: change.toIn?.(surroundings) ?? change.to };
}

/**
 * The changes of a case in their order, those in place together that can be made in one update: no argument twice.
 * What replaces, or needs what a real server may lack, is alone.
 *
 * @param isAlone which arguments are alone too
 */
export function batchesOf<Around extends Surroundings>(
  { changes }: LifecycleCase<Around>,
  isAlone: (argument: string) => boolean = () => false,
): readonly (readonly Change<Around>[])[] {
  const batches: Change<Around>[][] = [];
  let taken = new Set<string>();
  let open = false;
  for (const change of changes) {
    const alone = change.replaces === true || change.needs !== undefined || isAlone(change.argument);
    const names = [change.argument, ...Object.keys(change.also ?? {})];
    if (!open || alone || names.some((name) => taken.has(name))) {
      batches.push([]);
      taken = new Set();
    }
    batches.at(-1)?.push(change);
    names.forEach((name) => taken.add(name));
    open = !alone;
  }
  return batches;
}

/** As many arguments as go together: the valid ones, and of the others what the changes have for them. */
export function allArguments<Around extends Surroundings>(
  resourceCase: LifecycleCase<Around>,
  surroundings: Around,
): Values {
  return resourceCase.changes.reduce<Values>((all, change) => {
    const more = changesTo(change, surroundings);
    const fits =
      change.replaces !== true &&
      !(change.argument in all) &&
      Object.values(more).every((value) => value !== null && value !== undefined);
    return fits ? { ...more, ...all } : all;
  }, resourceCase.valid(surroundings));
}

/** The first update in place that a service gets to know of; none where there is no such. */
export function updateOf<Around extends Surroundings>(
  resourceCase: LifecycleCase<Around>,
  { arguments: known }: AnyResourceDefinition,
): ((surroundings: Around) => Values) | undefined {
  const batch = batchesOf(resourceCase).find((changes) =>
    changes.some(({ argument, replaces }) => {
      const { role = "remote", local = false } = known[argument] ?? {};
      return replaces !== true && (argument === "triggers" || (role === "remote" && !local));
    }),
  );
  return batch && ((surroundings) => together(batch, surroundings));
}

/** The first change that replaces, one of `triggers` if there is any; none where nothing does. */
export function replacementOf<Around extends Surroundings>({
  changes,
}: LifecycleCase<Around>): ((surroundings: Around) => Values) | undefined {
  const replacements = changes.filter(({ replaces }) => replaces === true);
  const change = replacements.find(({ argument }) => argument === "triggers") ?? replacements[0];
  return change && ((surroundings) => changesTo(change, surroundings));
}

/** What several changes give in one update. */
export function together<Around extends Surroundings>(
  changes: readonly Change<Around>[],
  surroundings: Around,
): Values {
  return changes.reduce<Values>((all, change) => ({ ...all, ...changesTo(change, surroundings) }), {});
}

/** Without the arguments that are taken away: the engine's calls have no word for them. */
export function given(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
