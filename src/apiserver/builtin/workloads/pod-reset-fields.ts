import type { Strategy } from '../../resource.ts';

export const resetFieldsOfPod: NonNullable<Strategy['resetFields']> = {
  '': [['status']],
  status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
};
