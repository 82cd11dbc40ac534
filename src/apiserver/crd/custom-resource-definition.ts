import type { KubeObject } from '../../api/object.ts';
import { cloneJson } from '../../util/json.ts';
import type { BuiltinKind } from '../builtin/builtin-kind.ts';
import { crdSpec, crdStatus, type CrdSpec } from './crd-object.ts';
import { unknownFormats, validateCrd, validateCrdStatus } from './validate-crd.ts';

const storageVersionOf = (spec: CrdSpec | undefined): string | undefined => spec?.versions?.find(version => version.storage)?.name;

/** Status keeps every version in which objects may be stored. */
function withStorageVersion(crd: KubeObject): void {
  const storage = storageVersionOf(crdSpec(crd));
  const status = crdStatus(crd);
  if (storage === undefined || status.storedVersions?.includes(storage)) return;
  crd['status'] = { ...status, storedVersions: [...(status.storedVersions ?? []), storage] };
}

/** Of a definition that nobody has looked at. */
export const newStatus = () => ({ conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null });

const warning = (format: string): string => `unrecognized format ${JSON.stringify(format)}`;

export const customResourceDefinitionKind: BuiltinKind = {
  setDefaults(crd) {
    const spec = crdSpec(crd) as CrdSpec | undefined;
    if (!spec) return;
    const { names } = spec;
    if (names) {
      if ((names.singular ?? '') === '' && (names.kind ?? '') !== '') names.singular = names.kind.toLowerCase();
      if ((names.listKind ?? '') === '' && (names.kind ?? '') !== '') names.listKind = `${names.kind}List`;
    }
    spec.conversion ??= { strategy: 'None' };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service) service.port ??= 443;
    const status = crdStatus(crd);
    const storage = storageVersionOf(spec);
    if ((status.storedVersions ?? []).length === 0 && storage !== undefined) crd['status'] = { ...status, storedVersions: [storage] };
  },
  strategy: {
    prepareForCreate(crd) {
      crd['status'] = newStatus();
      withStorageVersion(crd);
    },
    prepareForUpdate(crd, old) {
      crd['status'] = cloneJson(old['status']);
      withStorageVersion(crd);
    },
    // Metadata is written too: that is how controllers let a definition go.
    prepareForStatusUpdate(crd, old) {
      crd['spec'] = old['spec'];
    },
    validate: crd => validateCrd(crd),
    validateUpdate: (crd, old) => validateCrd(crd, old),
    validateStatusUpdate: crd => validateCrdStatus(crd),
    warningsOnCreate: crd => unknownFormats(crdSpec(crd)).map(warning),
    warningsOnUpdate(crd, old, ctx) {
      if (ctx.subresource === 'status') return [];
      const known = new Set(unknownFormats(crdSpec(old)));
      return unknownFormats(crdSpec(crd))
        .filter(format => !known.has(format))
        .map(warning);
    },
    hasGeneration: true,
    hasStatus: true,
    allowUnconditionalUpdate: false,
    resetFields: { '': [['status']], status: [['spec']] },
  },
};
