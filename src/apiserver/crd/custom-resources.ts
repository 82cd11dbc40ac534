import { at, invalid, type FieldError } from '../../api/field-error.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta } from '../../api/object.ts';
import { forbiddenError } from '../../api/status.ts';
import { goPrint } from '../../util/go-print.ts';
import { jsonEqual } from '../../util/json.ts';
import type { WebhookClientDeps } from '../admission/webhook-client.ts';
import type { ReplicasPaths } from '../apply/scale-fields.ts';
import type { Codec, Resource, Strategy, Subresource, WriteContext } from '../resource.ts';
import { undecodableBody } from '../schema/go-json-error.ts';
import { isQualifiedName } from '../../api/names.ts';
import { versionConverter, type ConvertVersion } from './convert-versions.ts';
import { crdSpec, isConditionTrue, type CrdSpec, type CrdVersion } from './crd-object.ts';
import type { PrinterColumn } from '../table/custom-printer.ts';
import { namesOf, valueAt } from './json-path.ts';
import { validateReplicas, type ScalePaths } from './scale.ts';
import type { SchemaProps } from './schema-props.ts';
import { structuralSchema, type StructuralSchema } from './structural-schema.ts';
import { mergeTypeOfSchema } from './structural-merge-type.ts';

/** A resource that a CustomResourceDefinition defines. */
export interface CustomResource extends Resource {
  readonly isCustom: true;
  readonly crd: KubeObject;
  readonly schema: SchemaProps;
  /** As the definition lists them; without any, kubectl shows name and age. */
  readonly printerColumns: readonly PrinterColumn[];
  readonly scale?: ScalePaths;
  /** Where each version keeps its replicas: for managedFields of the scale subresource. */
  readonly replicasPaths: ReplicasPaths;
}

export interface CustomResourceDeps {
  /** Reaches conversion webhooks. Without it, conversion by webhook fails. */
  readonly webhooks?: WebhookClientDeps;
}

export const isCustomResource = (resource: Resource): resource is CustomResource => resource.isCustom && 'crd' in resource;

const mainVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** One resource per served version, newest first in the order of Kubernetes versions. Serve them once the names are accepted. */
export function resourcesOf(crd: KubeObject, deps: CustomResourceDeps = {}): CustomResource[] {
  const spec = crdSpec(crd);
  const convert = versionConverter(spec, deps.webhooks);
  const schemas = new Map(
    spec.versions.map(version => [apiVersionOf({ group: spec.group, version: version.name }), structuralSchema(schemaOf(version))]),
  );
  const replicasPaths = Object.fromEntries(
    spec.versions.map(version => {
      const path = version.subresources?.scale?.specReplicasPath;
      return [apiVersionOf({ group: spec.group, version: version.name }), path === undefined ? null : namesOf(path)];
    }),
  );
  return spec.versions
    .filter(version => version.served)
    .sort((a, b) => compareVersions(a.name, b.name))
    .map(version => customResource(crd, spec, version, { convert, schemas, replicasPaths }));
}

interface Shared {
  readonly convert: ConvertVersion;
  readonly schemas: ReadonlyMap<string, StructuralSchema>;
  readonly replicasPaths: ReplicasPaths;
}

const schemaOf = (version: CrdVersion): SchemaProps => version.schema?.openAPIV3Schema ?? preserveAll;
const preserveAll: SchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function customResource(crd: KubeObject, spec: CrdSpec, version: CrdVersion, shared: Shared): CustomResource {
  const { group, names } = spec;
  const accepted = { ...names, ...(crd['status'] as { acceptedNames?: object } | undefined)?.acceptedNames } as CrdSpec['names'];
  const gvk = { group, version: version.name, kind: names.kind };
  const apiVersion = apiVersionOf(gvk);
  const schema = shared.schemas.get(apiVersion)!;
  const scale = version.subresources?.scale;
  const warning = deprecationWarning(spec, version);
  return {
    group,
    version: version.name,
    resource: names.plural,
    singular: accepted.singular ?? '',
    kind: names.kind,
    listKind: accepted.listKind ?? `${names.kind}List`,
    namespaced: spec.scope === 'Namespaced',
    verbs: mainVerbs,
    shortNames: accepted.shortNames ?? [],
    categories: accepted.categories ?? [],
    subresources: subresourcesOf(version, gvk),
    isCustom: true,
    storeKey: `${group}/${names.plural}`,
    codec: codecOf(spec, version.name, shared),
    strategy: strategyOf(crd, version, schema),
    mergeType: mergeTypeOfSchema(schema.props),
    selectableFields: selectableFieldsOf(version),
    ...(warning !== undefined && { deprecationWarning: warning }),
    crd,
    schema: schema.props,
    printerColumns: version.additionalPrinterColumns ?? [],
    ...(scale && { scale }),
    replicasPaths: shared.replicasPaths,
  };
}

function subresourcesOf({ subresources }: CrdVersion, gvk: { group: string; version: string; kind: string }): Subresource[] {
  const found: Subresource[] = [];
  if (subresources?.status) found.push({ name: 'status', kind: gvk, verbs: subresourceVerbs });
  if (subresources?.scale)
    found.push({ name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: subresourceVerbs });
  return found;
}

function deprecationWarning({ group, names, versions }: CrdSpec, version: CrdVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const described = `${group}/${version.name} ${names.kind}`;
  const better = versions
    .filter(other => other.served && other.deprecated !== true && compareVersions(other.name, version.name) < 0)
    .sort((a, b) => compareVersions(a.name, b.name))[0];
  return better ? `${described} is deprecated; use ${group}/${better.name} ${names.kind}` : `${described} is deprecated`;
}

function selectableFieldsOf({ selectableFields = [] }: CrdVersion): Record<string, (obj: KubeObject) => string> {
  return Object.fromEntries(
    selectableFields.map(({ jsonPath }) => {
      const names = namesOf(jsonPath);
      return [
        names.join('.'),
        (obj: KubeObject) => {
          const value = valueAt(obj, names);
          return value === undefined || value === null ? '' : goPrint(value);
        },
      ];
    }),
  );
}

const kubeVersion = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

/** v10 before v2 before v1beta1 before v1alpha1 before all that is not of this form. */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  const left = kubeVersion.exec(a);
  const right = kubeVersion.exec(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : 1;
  const rank = (found: RegExpExecArray): number[] => [
    found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0,
    Number(found[1]),
    Number(found[3] ?? 0),
  ];
  const [x, y] = [rank(left), rank(right)];
  const i = x.findIndex((value, index) => value !== y[index]);
  return y[i]! - x[i]!;
}

function codecOf(spec: CrdSpec, version: string, { convert, schemas }: Shared): Codec {
  const apiVersion = apiVersionOf({ group: spec.group, version });
  const schema = schemas.get(apiVersion)!;
  const storageVersion = spec.versions.find(candidate => candidate.storage)?.name ?? '';
  const storageApiVersion = apiVersionOf({ group: spec.group, version: storageVersion });
  // Stored objects never change, and this codec always reads them the same way.
  const read = new WeakMap<KubeObject, KubeObject | Promise<KubeObject>>();

  /** The schema under which an object was stored, as it is now, says what of it is shown and what is filled in. */
  function asStored(obj: KubeObject, madeFrom?: KubeObject): KubeObject {
    const stored = schemas.get(obj.apiVersion);
    if (!stored) return obj;
    const pruned = stored.prune(obj, [], madeFrom?.apiVersion === obj.apiVersion ? madeFrom : undefined);
    stored.setDefaults(pruned);
    return jsonEqual(pruned, obj) ? obj : pruned;
  }

  function converted(obj: KubeObject, to: string): KubeObject | Promise<KubeObject> {
    const target = schemas.get(to);
    const prune = (next: KubeObject) => target?.prune(next, []) ?? next;
    const next = convert(obj, to);
    return next instanceof Promise ? next.then(prune) : prune(next);
  }

  return {
    shape(body, problems) {
      try {
        return schema.prune(body, problems);
      } catch (error) {
        throw undecodableBody(spec.names.kind, version, error as Error);
      }
    },
    setDefaults: obj => schema.setDefaults(obj),
    fromStorage(obj, madeFrom) {
      let found = read.get(obj);
      if (found === undefined) {
        found = obj.apiVersion === apiVersion ? asStored(obj, madeFrom) : converted(asStored(obj), apiVersion);
        read.set(obj, found);
        if (found instanceof Promise) found.catch(() => read.delete(obj));
      }
      return found;
    },
    toStorage: obj => (apiVersion === storageApiVersion ? obj : converted(obj, storageApiVersion)),
    isStorageVersion: stored => apiVersion === storageApiVersion && stored.apiVersion === apiVersion,
  };
}

function strategyOf(crd: KubeObject, version: CrdVersion, schema: StructuralSchema): Strategy {
  const { group, names } = crdSpec(crd);
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
  const gvk = { kind: names.kind, apiVersion: apiVersionOf({ group, version: version.name }) };
  const isTerminating = crd.metadata.deletionTimestamp !== undefined || isConditionTrue(crd, 'Terminating');
  const scaleErrors = (obj: KubeObject, parts: readonly ('spec' | 'status')[]): FieldError[] =>
    scale ? validateReplicas(obj, scale, parts) : [];

  return {
    prepareForCreate(obj) {
      if (isTerminating)
        throw forbiddenError(
          { group, resource: names.plural },
          obj.metadata.name ?? '',
          'create not allowed while custom resource definition is terminating',
        );
      if (hasStatus) delete obj['status'];
    },
    prepareForUpdate(obj, old) {
      if (hasStatus) copyStatus(obj, old);
    },
    prepareForStatusUpdate(obj, old) {
      const { managedFields } = obj.metadata;
      const status = obj['status'];
      for (const key of Object.keys(obj)) delete obj[key];
      Object.assign(obj, old, { metadata: withManagedFields(old.metadata, managedFields) });
      if (status === undefined) delete obj['status'];
      else obj['status'] = status;
    },
    validate: obj => [...typeErrors(obj, gvk), ...schema.validate(obj), ...scaleErrors(obj, ['spec', 'status'])],
    validateUpdate: (obj, old, ctx: WriteContext) => [
      ...typeErrors(obj, gvk),
      ...schema.validate(obj, old, text => ctx.warn(text)),
      ...scaleErrors(obj, ['spec', 'status']),
    ],
    validateStatusUpdate: (obj, old, ctx: WriteContext) => [
      ...typeErrors(obj, gvk),
      ...schema.validateStatus(obj, old, text => ctx.warn(text)),
      ...scaleErrors(obj, ['status']),
    ],
    warningsOnCreate: obj => finalizerWarnings(obj.metadata.finalizers ?? [], []),
    warningsOnUpdate: (obj, old, ctx) =>
      ctx.subresource === 'status' ? [] : finalizerWarnings(obj.metadata.finalizers ?? [], old.metadata.finalizers ?? []),
    nameRule: 'subdomain',
    hasGeneration: true,
    hasStatus,
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    resetFields: hasStatus ? { '': [['status']], status: [['metadata'], ['spec']] } : {},
  };
}

function copyStatus(obj: KubeObject, old: KubeObject): void {
  if (old['status'] === undefined) delete obj['status'];
  else obj['status'] = old['status'];
}

function withManagedFields(metadata: ObjectMeta, managedFields: ObjectMeta['managedFields']): ObjectMeta {
  const { managedFields: _old, ...rest } = metadata;
  return managedFields === undefined ? rest : { ...rest, managedFields };
}

function typeErrors(obj: KubeObject, { kind, apiVersion }: { kind: string; apiVersion: string }): FieldError[] {
  const errors: FieldError[] = [];
  if (obj.kind !== kind) errors.push(invalid('kind', obj.kind, `must be ${kind}`));
  if (obj.apiVersion !== apiVersion) errors.push(invalid('apiVersion', obj.apiVersion, `must be ${apiVersion}`));
  return errors;
}

const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Finalizers without a domain may collide with those of others. */
function finalizerWarnings(finalizers: readonly string[], old: readonly string[]): string[] {
  const path = at.child('metadata', 'finalizers');
  return [...new Set(finalizers)]
    .filter(finalizer => !old.includes(finalizer))
    .sort()
    .flatMap(finalizer => {
      const warnings = isQualifiedName(finalizer).map(problem => `${path}: ${JSON.stringify(finalizer)}: ${problem}`);
      if (finalizer.includes('/') || standardFinalizers.has(finalizer)) return warnings;
      const how = finalizer.includes('.') ? 'a domain-qualified finalizer name including a path (/)' : 'a domain-qualified finalizer name';
      return [
        ...warnings,
        `${path}: ${JSON.stringify(finalizer)}: prefer ${how} to avoid accidental conflicts with other finalizer writers`,
      ];
    });
}
