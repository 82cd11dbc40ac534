import { SourceError } from '../../../sources/source-error.ts';
import { errorText } from '../../../util/error-text.ts';
import { ExpressionError, UnresolvedExpression } from '../expressions/expression-error.ts';
import type { InputFault } from './run-inputs.ts';

export const inputReasons = {
  /** An object that something names is not there. */
  notFound: 'NotFound',
  unresolved: 'UnresolvedExpression',
  wrongExpression: 'InvalidExpression',
  invalidVariable: 'InvalidVariable',
  invalidInfrastructure: 'InvalidInfrastructure',
  /** The provider is not for this namespace or environment. */
  restricted: 'UsageRestricted',
  emptySelection: 'EmptySelection',
  emptyList: 'EmptyClusterList',
  noneEligible: 'NoEligibleCluster',
  providerFailed: 'ProviderFailed',
  sourceFailed: 'SourceFailed',
  renderFailed: 'RenderFailed',
} as const;

/** Something that a run needs cannot be had. */
export class InputError extends Error {
  override name = 'InputError';
  readonly fault: InputFault;

  constructor(reason: string, message: string, failureType: InputFault['failureType'] = 'ApplicationError') {
    super(message);
    this.fault = { failureType, reason, message };
  }
}

/** What is to blame, told with where it was found. Undefined: neither the run nor a source is to blame. */
export function faultOf(error: unknown, where = ''): InputFault | undefined {
  const message = `${where}${errorText(error)}`;
  if (error instanceof InputError) return { ...error.fault, message };
  if (error instanceof UnresolvedExpression) return { failureType: 'ApplicationError', reason: inputReasons.unresolved, message };
  if (error instanceof ExpressionError) return { failureType: 'ApplicationError', reason: inputReasons.wrongExpression, message };
  if (error instanceof SourceError) {
    return { failureType: error.isFinal ? 'ApplicationError' : 'Connectivity', reason: inputReasons.sourceFailed, message };
  }
  return undefined;
}

/** Does something, and says of what is wrong where it was found. */
export async function at<T>(where: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = faultOf(error, `${where}: `);
    if (!fault) throw error;
    throw new InputError(fault.reason, fault.message, fault.failureType);
  }
}
