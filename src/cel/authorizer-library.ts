import { CelError } from './cel.ts';
import { overload, type Overload } from './cel-overload.ts';
import { celTypes } from './cel-type.ts';
import type { OpaqueValue } from './cel-values.ts';

/** Who may do what, asked by an expression. */
export interface AccessQuestion {
  /** Set when the question is about a service account and not about the requester. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

export type AskAccess = (question: AccessQuestion) => AccessAnswer;

/** The value of the variable `authorizer`; its type is `authorizerType`. */
export class CelAuthorizer implements OpaqueValue {
  readonly celTypeName: string;
  readonly ask: AskAccess;
  readonly question: Partial<AccessQuestion>;

  constructor(ask: AskAccess, question: Partial<AccessQuestion> = {}, celTypeName = 'kubernetes.authorization.Authorizer') {
    this.ask = ask;
    this.question = question;
    this.celTypeName = celTypeName;
  }

  with(more: Partial<AccessQuestion>, kind: string): CelAuthorizer {
    return new CelAuthorizer(this.ask, { ...this.question, ...more }, `kubernetes.authorization.${kind}`);
  }

  celEquals(other: OpaqueValue): boolean {
    return this === other;
  }
}

class AccessDecision implements OpaqueValue {
  readonly celTypeName = 'kubernetes.authorization.Decision';
  readonly answer: AccessAnswer;

  constructor(answer: AccessAnswer) {
    this.answer = answer;
  }

  celEquals(other: OpaqueValue): boolean {
    return this === other;
  }
}

export const authorizerType = celTypes.opaque('kubernetes.authorization.Authorizer');
export const resourceCheckType = celTypes.opaque('kubernetes.authorization.ResourceCheck');

const name = (kind: string): string => `kubernetes.authorization.${kind}`;
const narrows = (method: keyof AccessQuestion): Overload =>
  overload(`${name('ResourceCheck')}.${method}(string): ${name('ResourceCheck')}`, ([check, value]: [CelAuthorizer, string]) =>
    check.with({ [method]: value }, 'ResourceCheck'),
  );

export const authorizerFunctions: readonly Overload[] = [
  overload(`${name('Authorizer')}.path(string): ${name('PathCheck')}`, ([authorizer, path]: [CelAuthorizer, string]) => {
    if (path === '') throw new CelError('path must not be empty');
    return authorizer.with({ path }, 'PathCheck');
  }),
  overload(`${name('Authorizer')}.group(string): ${name('GroupCheck')}`, ([authorizer, group]: [CelAuthorizer, string]) =>
    authorizer.with({ group }, 'GroupCheck'),
  ),
  overload(
    `${name('Authorizer')}.serviceAccount(string, string): ${name('Authorizer')}`,
    ([authorizer, namespace, account]: [CelAuthorizer, string, string]) => {
      if (account === '') throw new CelError('Invalid service account name');
      if (namespace === '') throw new CelError('Invalid service account namespace');
      return authorizer.with({ serviceAccount: { namespace, name: account } }, 'Authorizer');
    },
  ),
  overload(`${name('GroupCheck')}.resource(string): ${name('ResourceCheck')}`, ([group, resource]: [CelAuthorizer, string]) => {
    if (resource === '') throw new CelError('resource must not be empty');
    return group.with({ resource }, 'ResourceCheck');
  }),
  ...(['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'] as const).map(narrows),
  ...['PathCheck', 'ResourceCheck'].map(kind =>
    overload(`${name(kind)}.check(string): ${name('Decision')}`, ([check, verb]: [CelAuthorizer, string], meter) => {
      meter.spend(350_000);
      return new AccessDecision(check.ask({ ...check.question, verb }));
    }),
  ),
  overload(`${name('Decision')}.allowed(): bool`, ([decision]: [AccessDecision]) => decision.answer.allowed),
  overload(`${name('Decision')}.reason(): string`, ([decision]: [AccessDecision]) => decision.answer.reason),
  overload(`${name('Decision')}.errored(): bool`, ([decision]: [AccessDecision]) => decision.answer.error !== undefined),
  overload(`${name('Decision')}.error(): string`, ([decision]: [AccessDecision]) => decision.answer.error ?? ''),
];
