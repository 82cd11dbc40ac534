import type { PolicyRule } from '../../../api/kubernetes.ts';
import { managementGroup } from '../names.ts';

export const read = ['get', 'list', 'watch'];
export const all = ['*'];

/** A rule about resources of one group, written with spaces between their names. */
export const may = (verbs: readonly string[], resources: string, group = ''): PolicyRule => ({
  verbs: [...verbs],
  apiGroups: [group],
  resources: resources.split(' '),
});

/** The same about kinds of Rancher. */
export const mayManage = (verbs: readonly string[], resources: string): PolicyRule => may(verbs, resources, managementGroup);

export const everything: PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
