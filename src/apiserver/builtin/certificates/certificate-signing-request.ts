import { X509Certificate } from 'node:crypto';
import { at, duplicate, forbidden, invalid, notSupported, required, tooLong, type FieldError } from '../../../api/field-error.ts';
import type { CertificateSigningRequest } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { WriteContext } from '../../resource.ts';
import { isDns1123Label, isDns1123Subdomain, isLongerThan } from '../../../api/names.ts';
import { semanticEqual } from '../../validation/object-meta.ts';
import { unifiedDiff } from '../../validation/unified-diff.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, oneOf } from '../kind-parts.ts';
import { certificateRequestProblem } from './certificate-request.ts';
import { timestamp } from '../../../util/timestamp.ts';

type Condition = NonNullable<NonNullable<CertificateSigningRequest['status']>['conditions']>[number];

const asRequest = (obj: KubeObject) => obj as unknown as CertificateSigningRequest;
const statusOf = (obj: KubeObject) => (asRequest(obj).status ??= {});
const conditionsOf = (obj: KubeObject, type?: string): Condition[] =>
  (asRequest(obj).status?.conditions ?? []).filter(condition => type === undefined || condition.type === type);

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

function validateSignerName(name: string): FieldError[] {
  const path = 'spec.signerName';
  if (name === '') return [required(path)];
  const [domain = '', signer = '', ...more] = name.split('/');
  if (!name.includes('/') || more.length > 0)
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const errors: FieldError[] = isLongerThan(domain, 253) ? [tooLong(path, 253)] : [];
  const explain = (labels: readonly string[], check: (label: string) => string[], shown: string) => {
    const wrong = labels.find(label => check(label).length > 0);
    if (wrong === undefined) return;
    for (const problem of check(wrong)) errors.push(invalid(path, shown, `validating label ${JSON.stringify(wrong)}: ${problem}`));
  };
  explain(domain.split('.'), isDns1123Label, domain);
  if (domain.split('.').length < 2) errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  explain(signer.split('.'), isDns1123Subdomain, signer);
  if (isLongerThan(signer, 317)) errors.push(tooLong(path, 317));
  return errors;
}

function certificateProblem(base64: string): string | undefined {
  const pem = Buffer.from(base64, 'base64').toString();
  if (pem === '') return undefined;
  const blocks = [...pem.matchAll(/-----BEGIN ([^-]+)-----([\s\S]*?)-----END \1-----/g)];
  for (const [text, type, body = ''] of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (body.includes(':')) return 'no PEM block headers are permitted';
    try {
      new X509Certificate(text);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function validateConditions(obj: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const path = 'status.conditions';
  const before = old ? conditionsOf(old) : [];
  const types = before.map(condition => condition.type);
  const allowBoth = types.includes('Approved') && types.includes('Denied');
  const allowDuplicates = new Set(types).size < types.length;
  const seen = new Set<string>();
  for (const [i, { type, status = '' }] of conditionsOf(obj).entries()) {
    const here = at.index(path, i);
    if (!type && !types.includes('')) errors.push(required(at.child(here, 'type')));
    const allowed = oneOf(type, ['Approved', 'Denied', 'Failed']) ? ['True'] : ['False', 'True', 'Unknown'];
    if (status === '') errors.push(required(at.child(here, 'status')));
    else if (!allowed.includes(status)) errors.push(notSupported(at.child(here, 'status'), status, allowed));
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (opposite && seen.has(opposite) && !allowBoth)
      errors.push(invalid(path, type, 'Approved and Denied conditions are mutually exclusive'));
    if (seen.has(type) && !allowDuplicates) errors.push(duplicate(at.child(here, 'type'), type));
    seen.add(type);
  }
  return errors;
}

function validateRequest(obj: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const { spec, status } = asRequest(obj);
  const oldUsages = (old && asRequest(old).spec?.usages) ?? [];
  const request = spec?.request ?? '';
  const problem = certificateRequestProblem(Buffer.from(request, 'base64').toString());
  if (problem !== undefined) errors.push(invalid('spec.request', request === '' ? null : request, problem));
  const wanted = spec?.usages ?? [];
  if (wanted.length === 0) errors.push(required('spec.usages'));
  if (oldUsages.every(usage => usages.includes(usage)))
    for (const [i, usage] of wanted.entries())
      if (!usages.includes(usage)) errors.push(notSupported(at.index('spec.usages', i), usage, usages));
  if (new Set(oldUsages).size === oldUsages.length)
    for (const [i, usage] of wanted.entries()) if (wanted.indexOf(usage) < i) errors.push(duplicate(at.index('spec.usages', i), usage));
  const signer = spec?.signerName ?? '';
  const legacy = 'kubernetes.io/legacy-unknown';
  if (signer === legacy && !(old && asRequest(old).spec?.signerName === legacy))
    errors.push(invalid('spec.signerName', signer, 'the legacy signerName is not allowed via this API version'));
  else errors.push(...validateSignerName(signer));
  const seconds = spec?.expirationSeconds;
  if (seconds !== undefined && seconds < 600)
    errors.push(invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 600 seconds (10 minutes)'));
  errors.push(...validateConditions(obj, old));
  const oldCertificate = (old && asRequest(old).status?.certificate) ?? '';
  const certificate = status?.certificate ?? '';
  const isTolerated = old !== undefined && (certificate === oldCertificate || certificateProblem(oldCertificate) !== undefined);
  const certificateError = isTolerated ? undefined : certificateProblem(certificate);
  if (certificateError !== undefined) errors.push(invalid('status.certificate', '<certificate data>', certificateError));
  return errors;
}

const printedConditions = (conditions: readonly Condition[]) =>
  JSON.stringify(
    conditions.map(c => ({
      Type: c.type,
      Status: c.status,
      Reason: c.reason ?? '',
      Message: c.message ?? '',
      LastUpdateTime: c.lastUpdateTime ?? null,
      LastTransitionTime: c.lastTransitionTime ?? null,
    })),
    undefined,
    1,
  );

function validateUpdate(obj: KubeObject, old: KubeObject, ctx: WriteContext): FieldError[] {
  const errors = validateRequest(obj, old);
  const path = 'status.conditions';
  for (const type of ['Approved', 'Denied', 'Failed'])
    if (conditionsOf(obj, type).length < conditionsOf(old, type).length)
      errors.push(forbidden(path, `updates may not remove a condition of type "${type}"`));
  if (ctx.subresource !== 'approval')
    for (const type of ['Approved', 'Denied']) {
      const next = conditionsOf(obj, type);
      const last = conditionsOf(old, type);
      if (next.length > last.length) errors.push(forbidden(path, `updates may not add a condition of type "${type}"`));
      else if (next.length === last.length && !semanticEqual(next, last)) {
        const changes = unifiedDiff(printedConditions(last), printedConditions(next));
        errors.push(forbidden(path, `updates may not modify a condition of type "${type}"\n${changes}`));
      }
    }
  const certificate = asRequest(obj).status?.certificate ?? '';
  const oldCertificate = asRequest(old).status?.certificate ?? '';
  if (certificate !== oldCertificate) {
    if (ctx.subresource !== 'status') errors.push(forbidden('status.certificate', 'updates may not set certificate content'));
    else if (oldCertificate !== '') errors.push(forbidden('status.certificate', 'updates may not modify existing certificate content'));
  }
  return errors;
}

function fillConditionTimes(obj: KubeObject, old: KubeObject, now: Date): void {
  for (const condition of conditionsOf(obj)) {
    condition.lastUpdateTime ||= timestamp(now);
    if (condition.lastTransitionTime) continue;
    const same = conditionsOf(old).find(c => c.type === condition.type && c.status === condition.status && c.lastTransitionTime);
    condition.lastTransitionTime = same?.lastTransitionTime ?? timestamp(now);
  }
}

// The status endpoint is for the signer; approval stays as it is there.
function keepApproval(obj: KubeObject, old: KubeObject): void {
  const conditions = statusOf(obj).conditions ?? [];
  for (const type of ['Approved', 'Denied']) {
    const last = conditionsOf(old, type);
    const places = conditions.flatMap((condition, i) => (condition.type === type ? [i] : []));
    if (last.length !== places.length) continue;
    for (const [k, place] of places.entries()) {
      const condition = last[k];
      if (condition) conditions[place] = condition;
    }
  }
}

function prepareForSubresource(obj: KubeObject, old: KubeObject, ctx: WriteContext): void {
  carryOver(obj, old, 'spec');
  if (ctx.subresource === 'approval') {
    fillConditionTimes(obj, old, ctx.now);
    const { conditions } = statusOf(obj);
    asRequest(obj).status = { ...asRequest(old).status };
    if (conditions) statusOf(obj).conditions = conditions;
    else delete statusOf(obj).conditions;
    return;
  }
  keepApproval(obj, old);
  fillConditionTimes(obj, old, ctx.now);
}

export const certificateSigningRequestKind: BuiltinKind = {
  selectableFields: { 'spec.signerName': obj => asRequest(obj).spec?.signerName ?? '' },
  strategy: {
    nameRule: () => [],
    hasStatus: true,
    resetFields: {
      '': [['spec'], ['status']],
      status: [['spec'], ['status', 'conditions']],
      approval: [['spec'], ['status', 'certificate']],
    },
    prepareForCreate(obj, { user }) {
      const spec = asRequest(obj).spec;
      delete spec.username;
      delete spec.uid;
      delete spec.groups;
      delete spec.extra;
      if (user.name !== '') spec.username = user.name;
      if (user.uid) spec.uid = user.uid;
      if (user.groups.length > 0) spec.groups = [...user.groups];
      const extra = Object.entries(user.extra ?? {});
      if (extra.length > 0) spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]));
      asRequest(obj).status = {};
    },
    prepareForUpdate(obj, old, ctx) {
      if (ctx.subresource === 'approval' || ctx.subresource === 'status') prepareForSubresource(obj, old, ctx);
      else carryOver(obj, old, 'spec', 'status');
    },
    prepareForStatusUpdate: prepareForSubresource,
    validate: obj => validateRequest(obj, undefined),
    validateUpdate,
    validateStatusUpdate: validateUpdate,
  },
};
