import { builtinResources } from '../../facts/facts.ts';
import { apiVersionOf } from '../../../api/object.ts';
import { otherKinds } from '../kinds.ts';
import { creates, type AnswerCase } from './answer-case.ts';

/** Every kind with nothing in it, but for nodes, which admission taints. */
export const emptyCases: readonly AnswerCase[] = builtinResources()
  .filter(({ group, kind }) => kind !== 'Node' && `${group}/${kind}` in otherKinds)
  .flatMap(fact => creates(apiVersionOf(fact), fact.kind, { 'nothing at all': {} }));
