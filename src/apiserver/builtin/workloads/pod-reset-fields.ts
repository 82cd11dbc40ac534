import type { Strategy } from '../../resource.ts';

/**
 * The subresources `ephemeralcontainers` and `resize` are the other way round: the server resets all but what
 * `keptFieldsOfPod` names.
 */
export const resetFieldsOfPod: NonNullable<Strategy['resetFields']> = {
  '': [['status']],
  status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
};

/** Path prefixes, `*` standing for any list item, that a write to these subresources may own; all others are reset. */
export const keptFieldsOfPod: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ephemeralcontainers: [['spec', 'ephemeralContainers']],
  resize: [
    ['spec', 'containers', '*', 'resources'],
    ['spec', 'containers', '*', 'resizePolicy'],
    ['spec', 'initContainers', '*', 'resources'],
    ['spec', 'initContainers', '*', 'resizePolicy'],
  ],
};
