import { forbidden, invalid, notSupported, type FieldError } from '../../../api/field-error.ts';
import { isDns1123Label } from '../../../api/names.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { parseBytes } from '../clusters/settings.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import type { Setting } from '../kinds/setting.ts';
import { localId } from '../names.ts';
import { faulty } from './answers.ts';
import type { RancherWorld } from './rancher-world.ts';

const forceAnnotation = 'cattle.io/force';
const tlsModes = ['strict', 'system-store'];
const numbers = /-(minutes|seconds|length)$/;
const addresses = ['server-url', 'internal-server-url'];
/** They stand in commands that people copy into their shells. */
const addressPattern = /^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._~/-]*)?$/;

export async function reviewSetting(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const next = request.object as Setting;
  const old = request.oldObject as Setting | undefined;
  const { value = '' } = next;
  if (value === '' || value === (old?.value ?? '')) return {};
  return faulty(request, await valueFaults(old, next, world));
}

async function valueFaults(old: Setting | undefined, { metadata, value = '' }: Setting, world: RancherWorld): Promise<FieldError[]> {
  const name = metadata.name ?? '';
  if (name === 'cacerts') return [forbidden('value', 'the authorities are those that the hub has')];
  if (numbers.test(name)) return /^\d{1,9}$/.test(value) ? [] : [invalid('value', value, 'must be a whole number, and not be below 0')];
  if (name === 'public-api-body-limit')
    return parseBytes(value) === undefined ? [invalid('value', value, 'must be an amount such as 1Mi')] : [];
  if (name === 'system-namespaces') return namespaceFaults(value);
  if (addresses.includes(name)) return addressPattern.test(value) ? [] : [invalid('value', value, 'must be the URL of the hub')];
  if (name !== 'agent-tls-mode') return [];
  if (!tlsModes.includes(value)) return [notSupported('value', value, tlsModes)];
  const isStricter = value === 'strict' && (old?.value || old?.default) === 'system-store';
  return isStricter && metadata.annotations?.[forceAnnotation] !== 'true' ? strictFaults(world) : [];
}

function namespaceFaults(value: string): FieldError[] {
  const names = value.split(',').map(name => name.trim());
  const wrong = names.filter(name => name !== '' && isDns1123Label(name).length > 0);
  return wrong.length === 0
    ? []
    : [invalid('value', value, `must be names of namespaces, with commas between them: ${JSON.stringify(wrong[0])} is none`)];
}

/** Agents that trust the hub only by the authorities of their system would be locked out. */
async function strictFaults(world: RancherWorld): Promise<FieldError[]> {
  const isSure = ({ status }: ManagementCluster) =>
    status?.conditions?.some(one => one.type === 'AgentTlsStrictCheck' && one.status === 'True');
  const unsure = (await world.list(ManagementCluster)).filter(one => one.metadata.name !== localId && !isSure(one));
  if (unsure.length === 0) return [];
  const names = unsure.slice(0, 5).map(({ metadata }) => `"${metadata.name}"`);
  const more = unsure.length > names.length ? ` and ${unsure.length - names.length} more` : '';
  return [
    forbidden(
      'value',
      `${names.join(', ')}${more} cannot do with the hub's own authorities alone; annotation ${forceAnnotation}=true overrules this`,
    ),
  ];
}
