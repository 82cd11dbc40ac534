import type { KindRef } from '../../../api/define-kind.ts';
import type { PolicyRule } from '../../../api/kubernetes.ts';
import { alreadyExists } from '../../../api/status.ts';
import { faulty, notAllowed } from '../../../core/admission/answers.ts';
import { compactRules, printRule } from '../../../auth/policy-rule.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { goQuote, goQuoteList } from '../../../util/go-quote.ts';

const shownRules = 50;

export { faulty, notAllowed };

/** 409: there is another object that says the same. */
export const duplicated = (kind: KindRef, name: string): AdmissionAnswer => ({ refusal: alreadyExists(kind, name) });

/** 403 with what the caller lacks. Allowed when that is nothing. */
export function refuseEscalation(
  kind: KindRef,
  request: AdmissionRequest,
  lacking: readonly PolicyRule[],
  deed = 'grant RBAC permissions',
): AdmissionAnswer {
  if (lacking.length === 0) return {};
  const { name, groups } = request.user;
  const lines = [...new Set(compactRules(lacking).map(printRule))].sort();
  const more = lines.length > shownRules ? `\nand ${lines.length - shownRules} more` : '';
  const who = `user ${goQuote(name)} (groups=${goQuoteList(groups)})`;
  const what = `${lines.slice(0, shownRules).join('\n')}${more}`;
  return notAllowed(kind, request, `${who} is attempting to ${deed} not currently held:\n${what}`);
}
