import { at, forbidden, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { PriorityLevelConfiguration, PriorityLevelConfigurationSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, keepMetadata, specAndStatus } from '../kind-parts.ts';
import { validateFlowConditions } from './flow-schema.ts';

type Limited = NonNullable<PriorityLevelConfigurationSpec['limited']>;
type Queuing = NonNullable<NonNullable<Limited['limitResponse']>['queuing']>;

const specOf = (obj: KubeObject): Partial<PriorityLevelConfigurationSpec> => (obj as unknown as PriorityLevelConfiguration).spec ?? {};
const keepZeroShares = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

/** Bits of hash that dealing `handSize` of `queues` cards takes. */
function entropyBits(queues: number, handSize: number): number {
  return Math.ceil(Array.from({ length: handSize }, (_, i) => Math.log2(queues - i)).reduce((sum, bits) => sum + bits, 0));
}

function validateQueuing({ queues = 0, handSize = 0, queueLengthLimit = 0 }: Queuing, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0) errors.push(invalid(at.child(path, 'queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalid(at.child(path, 'queues'), queues, 'must be positive'));
  else if (queues > 10_000_000) errors.push(invalid(at.child(path, 'queues'), queues, 'must not be greater than 10000000'));
  const handPath = at.child(path, 'handSize');
  if (handSize <= 0) errors.push(invalid(handPath, handSize, 'must be positive'));
  else if (handSize > queues) errors.push(invalid(handPath, handSize, `should not be greater than queues (${queues})`));
  else if (entropyBits(queues, handSize) > 60)
    errors.push(
      invalid(handPath, handSize, `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than 60`),
    );
  return errors;
}

function validateResponse(limited: Limited, path: string): FieldError[] {
  const { type = '', queuing } = limited.limitResponse ?? {};
  if (type === 'Reject')
    return queuing ? [forbidden(at.child(path, 'queuing'), 'must be nil if limited.limitResponse.type is not Limited')] : [];
  if (type === 'Queue')
    return queuing
      ? validateQueuing(queuing, at.child(path, 'queuing'))
      : [required(at.child(path, 'queuing'), 'must not be empty if limited.limitResponse.type is Limited')];
  return type === '' ? [required(at.child(path, 'type'))] : [notSupported(at.child(path, 'type'), type, ['Queue', 'Reject'])];
}

const validateShares = (shares: number | undefined, path: string): FieldError[] =>
  shares !== undefined && shares < 0 ? [invalid(at.child(path, 'nominalConcurrencyShares'), shares, 'must be a non-negative integer')] : [];
const validateLendable = (percent: number | undefined, path: string): FieldError[] =>
  percent !== undefined && (percent < 0 || percent > 100)
    ? [invalid(at.child(path, 'lendablePercent'), percent, 'must be between 0 and 100, inclusive')]
    : [];

function validateLimited(limited: Limited, path: string): FieldError[] {
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = limited;
  return [
    ...validateShares(nominalConcurrencyShares, path),
    ...validateResponse(limited, at.child(path, 'limitResponse')),
    ...validateLendable(lendablePercent, path),
    ...(borrowingLimitPercent !== undefined && borrowingLimitPercent < 0
      ? [invalid(at.child(path, 'borrowingLimitPercent'), borrowingLimitPercent, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

function validateSpec(obj: KubeObject): FieldError[] {
  const { type = '', limited, exempt } = specOf(obj);
  const errors: FieldError[] = [];
  if ((obj.metadata.name === 'exempt') !== (type === 'Exempt'))
    errors.push(invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  if (type === 'Exempt') {
    if (limited) errors.push(forbidden('spec.limited', 'must be nil if the type is not Limited'));
    if (exempt)
      errors.push(
        ...validateShares(exempt.nominalConcurrencyShares, 'spec.exempt'),
        ...validateLendable(exempt.lendablePercent, 'spec.exempt'),
      );
  } else if (type === 'Limited') {
    if (exempt) errors.push(forbidden('spec.exempt', 'must be nil if the type is Limited'));
    if (limited) errors.push(...validateLimited(limited, 'spec.limited'));
    else errors.push(required('spec.limited', 'must not be empty when type is Limited'));
  } else errors.push(type === '' ? required('spec.type') : notSupported('spec.type', type, ['Exempt', 'Limited']));
  return errors;
}

function validateLevel(obj: KubeObject): FieldError[] {
  const isMarked = keepZeroShares in (obj.metadata.annotations ?? {});
  return [
    ...(isMarked ? [forbidden('metadata.annotations', `annotation '${keepZeroShares}' is forbidden`)] : []),
    ...validateSpec(obj),
    ...validateStatus(obj),
  ];
}

const validateStatus = (obj: KubeObject) => validateFlowConditions((obj as unknown as PriorityLevelConfiguration).status?.conditions);

export const priorityLevelConfigurationKind: BuiltinKind = {
  setDefaults(obj) {
    const { limited, exempt } = specOf(obj);
    if (exempt) {
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
    if (!limited) return;
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    const queuing = limited.limitResponse?.queuing;
    if (!queuing) return;
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  },
  strategy: {
    ...specAndStatus(),
    hasGeneration: true,
    resetFields: { '': [['status']], status: [['metadata'], ['spec']] },
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
      keepMetadata(obj, old);
    },
    validate: validateLevel,
    validateUpdate: validateLevel,
    validateStatusUpdate: validateStatus,
  },
};
