import { createHash } from 'node:crypto';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import type { Holder } from '../access/subjects.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz234567';
const length = 10;

type Binding = Holder & {
  readonly globalRoleName?: string;
  readonly roleTemplateName?: string;
  readonly clusterName?: string;
  readonly projectName?: string;
};

/** A binding that leaves its name to the server is named by what it says, so that of two equal ones that are made at once only one comes to be. */
export async function nameBinding({ object }: AdmissionRequest): Promise<AdmissionAnswer> {
  const { name = '', generateName = '' } = object?.metadata ?? {};
  if (name !== '' || generateName === '') return {};
  return { patch: [{ op: 'add', path: '/metadata/name', value: generateName + bindingSuffix(object as unknown as Binding) }] };
}

/** 10 letters and digits (base32) that stand for subject, role and scope. */
export function bindingSuffix(binding: Binding): string {
  const { userName, userPrincipalName, groupName, groupPrincipalName, serviceAccount } = binding;
  const subject = userName || userPrincipalName || groupPrincipalName || groupName || serviceAccount || '';
  const role = binding.globalRoleName ?? binding.roleTemplateName ?? '';
  const scope = binding.clusterName ?? binding.projectName ?? '';
  const bits = createHash('sha256').update(`${subject}/${role}/${scope}`).digest().readBigUInt64BE();
  return Array.from({ length }, (_, i) => letters[Number((bits >> BigInt(59 - 5 * i)) & 31n)]).join('');
}
