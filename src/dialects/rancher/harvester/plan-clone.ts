import { PersistentVolumeClaim } from '../../../api/builtin-kinds.ts';
import { apiVersionOf, lastAppliedAnnotation, type KubeObject, type ObjectMeta } from '../../../api/object.ts';
import { isJsonObject, parseJson, printJson, type Json, type JsonObject } from '../../../util/json.ts';
import { disksOf, marks, runStrategyOf } from './machine-facts.ts';

export interface CloneWish {
  readonly name: string;
  /** As the other has it when absent. */
  readonly runStrategy: string | undefined;
}

export interface ClonePlan {
  /** Copies of the disks, to be there before the machine. */
  readonly claims: readonly KubeObject[];
  readonly machine: KubeObject;
}

const nameLabel = 'harvesterhci.io/vmName';
/** What is about the one machine alone. */
const ownMarks: readonly string[] = [marks.removedClaims, marks.runStrategy, marks.macAddress, marks.claimTemplates, lastAppliedAnnotation];

/** A second machine like the first, with copies of its disks and addresses of its own. `claims` are those of the first. */
export function planClone(vm: KubeObject, claims: readonly KubeObject[], { name, runStrategy }: CloneWish): ClonePlan {
  const { namespace = '' } = vm.metadata;
  const copyOf = new Map(disksOf(vm).map(({ disk, claim }) => [claim, `${name}-${disk}`]));
  const spec = structuredClone(isJsonObject(vm['spec']) ? vm['spec'] : {});
  delete spec['running'];
  delete spec['dataVolumeTemplates'];
  spec['runStrategy'] = runStrategy ?? (runStrategyOf(vm) || 'RerunOnFailure');
  const template = childOf(spec, 'template');
  if (template) rename(template, name, copyOf);
  return {
    claims: claims.map(claim => copiedClaim(claim, copyOf.get(claim.metadata.name ?? '')!)),
    machine: { apiVersion: vm.apiVersion, kind: vm.kind, metadata: { name, namespace, ...carried(vm.metadata, name, copyOf) }, spec },
  };
}

function carried({ labels, annotations = {} }: ObjectMeta, name: string, copyOf: ReadonlyMap<string, string>): ObjectMeta {
  const kept = Object.entries(annotations).filter(([key]) => !ownMarks.includes(key));
  const templates = renamedTemplates(annotations[marks.claimTemplates], copyOf);
  return {
    ...(labels && { labels: labelled(labels, name) }),
    annotations: { ...Object.fromEntries(kept), ...(templates !== undefined && { [marks.claimTemplates]: templates }) },
  };
}

const labelled = (labels: Record<string, string>, name: string) =>
  Object.hasOwn(labels, nameLabel) ? { ...labels, [nameLabel]: name } : labels;

/** The claims that Harvester keeps for a machine. What it could not read it would not keep. */
function renamedTemplates(text: string | undefined, copyOf: ReadonlyMap<string, string>): string | undefined {
  if (text === undefined) return undefined;
  try {
    const templates = parseJson(text);
    if (!Array.isArray(templates)) return undefined;
    return printJson(templates.map(one => renamedTemplate(one, copyOf)));
  } catch {
    return undefined;
  }
}

function renamedTemplate(one: Json, copyOf: ReadonlyMap<string, string>): Json {
  const metadata = isJsonObject(one) ? one['metadata'] : undefined;
  if (!isJsonObject(one) || !isJsonObject(metadata)) return one;
  const copy = copyOf.get(String(metadata['name']));
  return copy === undefined ? one : { ...one, metadata: { ...metadata, name: copy } };
}

/** `template` is changed. */
function rename(template: JsonObject, name: string, copyOf: ReadonlyMap<string, string>): void {
  const labels = childOf(childOf(template, 'metadata'), 'labels');
  if (labels && Object.hasOwn(labels, nameLabel)) labels[nameLabel] = name;
  const spec = childOf(template, 'spec');
  if (!spec) return;
  if (spec['hostname'] !== undefined) spec['hostname'] = name;
  spec['volumes'] = listIn(spec, 'volumes').map(volume => copiedVolume(volume, copyOf));
  const domain = childOf(spec, 'domain');
  const firmware = childOf(domain, 'firmware');
  // Two machines with one address or one serial number are in each other's way.
  for (const own of ['uuid', 'serial']) if (firmware) delete firmware[own];
  for (const one of listIn(childOf(domain, 'devices'), 'interfaces')) if (isJsonObject(one)) delete one['macAddress'];
}

function copiedVolume(volume: Json, copyOf: ReadonlyMap<string, string>): Json {
  if (!isJsonObject(volume)) return volume;
  const { dataVolume, persistentVolumeClaim: claim, ...rest } = volume;
  const name = isJsonObject(claim) ? claim['claimName'] : isJsonObject(dataVolume) ? dataVolume['name'] : undefined;
  const copy = typeof name === 'string' ? copyOf.get(name) : undefined;
  if (copy === undefined) return volume;
  return { ...rest, persistentVolumeClaim: { ...(isJsonObject(claim) && claim), claimName: copy } };
}

function copiedClaim({ metadata, spec: from }: KubeObject, name: string): KubeObject {
  const { accessModes, resources, storageClassName, volumeMode } = isJsonObject(from) ? from : {};
  return {
    apiVersion: apiVersionOf(PersistentVolumeClaim),
    kind: PersistentVolumeClaim.kind,
    metadata: { name, namespace: metadata.namespace ?? '' },
    spec: {
      ...(accessModes !== undefined && { accessModes }),
      ...(resources !== undefined && { resources }),
      ...(storageClassName !== undefined && { storageClassName }),
      ...(volumeMode !== undefined && { volumeMode }),
      dataSource: { kind: PersistentVolumeClaim.kind, name: metadata.name ?? '' },
    },
  };
}

function childOf(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const child = value?.[key];
  return isJsonObject(child) ? child : undefined;
}

function listIn(value: JsonObject | undefined, key: string): Json[] {
  const list = value?.[key];
  return Array.isArray(list) ? list : [];
}
