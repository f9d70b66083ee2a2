/**
 * The errors of the library. Test for a class with its `isInstance`, which also works if a program loads two
 * copies of the package.
 *
 * @packageDocumentation
 */
export {
  CancelledError,
  ConfigurationError,
  ConnectionError,
  ContractError,
  InputError,
  NotFoundError,
  ServiceError,
  TimeoutError,
  type TimeoutPhase,
  TriviumError,
} from "./base/errors";
