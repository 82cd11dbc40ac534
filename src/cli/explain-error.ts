import { StatusError, type StatusDetails } from '../api/status.ts';
import { UnreachableError } from '../client/transport.ts';
import { causesOf, errorText } from '../util/error-text.ts';
import { CommandError, EndWith, exitCodes, type ExitCode } from './exit-codes.ts';

export interface Explanation {
  /** Empty when everything has been said already. */
  readonly message: string;
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;
}

/** What went wrong, in one line, and what may be done about it. An answer of the server is told in kubectl's words. */
export function explainError(error: unknown): Explanation {
  if (error instanceof EndWith) return { message: '', hint: undefined, exitCode: error.exitCode };
  if (error instanceof StatusError) return { message: serverError(error), hint: hintFor(error), exitCode: exitCodes.error };
  const chain = causesOf(error);
  const command = chain.find(one => one instanceof CommandError);
  const status = chain.find(one => one instanceof StatusError);
  return {
    message: `error: ${errorText(error)}`,
    hint: command?.hint ?? (status && hintFor(status)) ?? lostHint(chain),
    exitCode: command?.exitCode ?? exitCodes.error,
  };
}

/** What was begun and broke off has nobody else to say it. */
const lostHint = (chain: readonly unknown[]): string | undefined =>
  chain.some(one => one instanceof UnreachableError && one.message.endsWith('broke off'))
    ? 'the connection is lost: does the hub still run? "drover version" asks it'
    : undefined;

function serverError({ reason, message }: StatusError): string {
  return reason === '' ? `Error from server: ${message}` : `Error from server (${reason}): ${message}`;
}

function hintFor({ code, message, details }: StatusError): string | undefined {
  if (code === 404 && details?.name && details.kind) return `"drover get ${typeOf(details)}" lists those there are`;
  if (code === 400 && message.includes('unable to parse requirement')) return "for example: -l app=web, or -l 'env in (prod,test),!canary'";
  if (code === 400 && message.includes('field label not supported'))
    return 'every kind has metadata.name and metadata.namespace, few have more; -l chooses by labels';
  if (code === 401)
    return 'the credential of your kubeconfig was refused: it may have expired or belong to another hub; "drover login" signs you in anew';
  if (code === 403) return 'ask an administrator of the cluster for this right; "kubectl auth can-i --list" shows those you have';
  const [, unreachable] = (code === 503 && /^cluster "([^"]+)" cannot be reached/.exec(message)) || [];
  if (unreachable !== undefined) return `"drover describe cluster ${unreachable}" says why, and since when`;
  if (code === 429) return 'the server is busy: try again in a moment';
  return undefined;
}

/** Names that several kinds go by need their group; ours do not. */
const typeOf = ({ kind, group = '' }: StatusDetails): string =>
  group === '' || group === 'drover.io' || group.endsWith('.drover.io') ? `${kind}` : `${kind}.${group}`;
