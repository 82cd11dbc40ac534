import { forbidden, invalid, type FieldError } from '../../../api/field-error.ts';
import { faulty } from '../../../core/admission/answers.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { durationMs } from '../../../util/duration.ts';
import { jsonEqual } from '../../../util/json.ts';
import type { CloudProvider, RancherSource } from '../kinds/cloud-provider.ts';
import type { DeliveryWorld } from './delivery-world.ts';

const minMs = 100;

/** The address must be one, and nobody sends a Secret to a server that they could not read themselves. */
export async function reviewProvider(request: AdmissionRequest, world: DeliveryWorld): Promise<AdmissionAnswer> {
  const { rancher } = (request.object as CloudProvider).spec;
  if (!rancher) return {};
  const faults = [...addressFaults(rancher), ...timeFaults(rancher), ...bundleFaults(rancher)];
  const before = (request.oldObject as CloudProvider | undefined)?.spec.rancher;
  if (!jsonEqual(rancher, before)) faults.push(...(await secretFaults(rancher, world)));
  return faulty(request, faults);
}

function addressFaults({ url }: RancherSource): FieldError[] {
  const field = 'spec.rancher.url';
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return [invalid(field, url, 'must be an absolute address of http or https')];
  if (parsed.username !== '' || parsed.password !== '') return [forbidden(field, 'credentials belong into a Secret')];
  return parsed.search === '' && parsed.hash === '' ? [] : [invalid(field, url, 'must have no query and no fragment')];
}

function timeFaults({ requestTimeout, resyncInterval }: RancherSource): FieldError[] {
  return Object.entries({ requestTimeout, resyncInterval }).flatMap(([name, text]) =>
    text === undefined || durationMs(text) >= minMs ? [] : [invalid(`spec.rancher.${name}`, text, 'must be at least 100ms')],
  );
}

function bundleFaults({ caBundle = '' }: RancherSource): FieldError[] {
  if (caBundle === '') return [];
  const isPem = [caBundle, Buffer.from(caBundle, 'base64').toString('latin1')].some(one => one.includes('-----BEGIN CERTIFICATE-----'));
  return isPem ? [] : [invalid('spec.rancher.caBundle', '…', 'must be certificates, PEM in base64')];
}

async function secretFaults({ auth }: RancherSource, { may }: DeliveryWorld): Promise<FieldError[]> {
  const refs = Object.entries(auth) as [string, { namespace: string; name: string } | undefined][];
  const faults: FieldError[] = [];
  for (const [field, ref] of refs) {
    if (!ref) continue;
    const isAllowed = await may({ verb: 'get', group: '', version: 'v1', resource: 'secrets', namespace: ref.namespace, name: ref.name });
    if (!isAllowed) faults.push(forbidden(`spec.rancher.auth.${field}`, `you may not read Secret "${ref.namespace}/${ref.name}"`));
  }
  return faults;
}
