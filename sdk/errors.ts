/**
 * The errors of the library. Test for a class with its `isInstance`, which also works when a program holds two copies of
 * the package.
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
