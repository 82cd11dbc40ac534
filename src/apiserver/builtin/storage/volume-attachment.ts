import { at, forbidden, invalid, required, tooLong, type FieldError } from '../../../api/field-error.ts';
import type { VolumeAttachment, VolumeError } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { byteLength, inclusiveRange, isDns1123Subdomain, isLongerThan } from '../../../api/names.ts';
import { fieldIsImmutable, semanticEqual } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { carryOver, invalidFor, keepMetadata, specAndStatus } from '../kind-parts.ts';

const asAttachment = (obj: KubeObject) => obj as unknown as VolumeAttachment;
const maxMetadataBytes = 256 * 1024;

function validateSource(obj: KubeObject): FieldError[] {
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = asAttachment(obj).spec?.source ?? {};
  const path = 'spec.source';
  const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!inline && name === undefined) return [required(path, exactlyOne)];
  if (inline && name !== undefined) return [forbidden(path, exactlyOne)];
  if (name === '') return [required(at.child(path, 'persistentVolumeName'), 'must specify non empty persistentVolumeName')];
  if (!inline) return [];
  const inlinePath = at.child(path, 'inlineVolumeSpec');
  const notInline = 'may not be specified in the context of inline volumes';
  return [
    ...(inline.claimRef ? [forbidden(at.child(inlinePath, 'claimRef'), notInline)] : []),
    ...(Object.keys(inline.capacity ?? {}).length > 0 ? [forbidden(at.child(inlinePath, 'capacity'), notInline)] : []),
    ...(inline.csi ? [] : [required(at.child(inlinePath, 'csi'), 'has to be specified in the context of inline volumes')]),
    ...((inline.accessModes ?? []).length === 0 ? [required(at.child(inlinePath, 'accessModes'))] : []),
    ...(inline.nodeAffinity ? [forbidden(at.child(inlinePath, 'nodeAffinity'), notInline)] : []),
    ...(inline.storageClassName ? [forbidden(at.child(inlinePath, 'storageClassName'), notInline)] : []),
  ];
}

function validateError(error: VolumeError | undefined, path: string): FieldError[] {
  if (!error) return [];
  return [
    ...(isLongerThan(error.message ?? '', 1024) ? [tooLong(at.child(path, 'message'), maxMetadataBytes)] : []),
    ...(error.errorCode !== undefined && error.errorCode < 0
      ? [invalid(at.child(path, 'errorCode'), error.errorCode, inclusiveRange(0, 2147483647))]
      : []),
  ];
}

function validateAttachment(obj: KubeObject): FieldError[] {
  const { spec, status } = asAttachment(obj);
  const nodeName = spec?.nodeName ?? '';
  const size = Object.entries(status?.attachmentMetadata ?? {}).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  const pvName = spec?.source?.persistentVolumeName;
  return [
    ...validateCsiDriverName(spec?.attacher ?? '', 'spec.attacher'),
    ...validateSource(obj),
    ...invalidFor('spec.nodeName', nodeName, isDns1123Subdomain(nodeName)),
    ...(size > maxMetadataBytes ? [tooLong('status.attachmentMetadata', maxMetadataBytes)] : []),
    ...validateError(status?.attachError, 'status.attachError'),
    ...validateError(status?.detachError, 'status.detachError'),
    ...(pvName === undefined ? [] : invalidFor('spec.source.persistentVolumeName', pvName, isDns1123Subdomain(pvName))),
  ];
}

const printedSpec = (obj: KubeObject) => {
  const { attacher, nodeName, source } = asAttachment(obj).spec ?? {};
  return {
    Attacher: attacher,
    Source: { PersistentVolumeName: source?.persistentVolumeName ?? null, InlineVolumeSpec: source?.inlineVolumeSpec ?? null },
    NodeName: nodeName,
  };
};

const validateUpdate = (obj: KubeObject, old: KubeObject): FieldError[] => [
  ...validateAttachment(obj),
  ...(semanticEqual(obj['spec'], old['spec']) ? [] : [invalid('spec', printedSpec(obj), fieldIsImmutable)]),
];

export const volumeAttachmentKind: BuiltinKind = {
  strategy: {
    ...specAndStatus(() => ({ attached: false })),
    allowUnconditionalUpdate: false,
    returnsDeletedObject: true,
    resetFields: { '': [['status']], status: [['metadata'], ['spec']] },
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
      keepMetadata(obj, old);
    },
    validate: validateAttachment,
    validateUpdate,
    validateStatusUpdate: validateUpdate,
  },
};
