import type { KubeObject } from '../../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';
import { readYaml } from '../../../yaml/read-yaml.ts';
import type { RecordStatus, ReleaseName, ReleaseRecord, WorkloadRevision } from './book.ts';
import { unzipText } from './record-codec.ts';

/** The history that Harness keeps in one ConfigMap or Secret named like the release. Empty when there is none, or nobody can read it. */
export function readLegacyHistory(holder: KubeObject, release: ReleaseName): ReleaseRecord[] {
  try {
    const text = historyText(holder);
    const history = text === undefined ? null : readYaml(text).value;
    return listAt(history, 'releases').flatMap(one => readRelease(one, release));
  } catch {
    return [];
  }
}

export function isLegacyHistory({ apiVersion, kind, metadata }: KubeObject, { name }: ReleaseName): boolean {
  return apiVersion === 'v1' && (kind === 'ConfigMap' || kind === 'Secret') && metadata.name === name;
}

function historyText(holder: KubeObject): string | undefined {
  const isSecret = holder.kind === 'Secret';
  const data = isJsonObject(holder['data']) ? holder['data'] : {};
  const { releaseHistory, isReleaseHistoryCompressed: flag } = data;
  if (typeof releaseHistory !== 'string') return undefined;
  const isCompressed = isSecret ? isSet(Buffer.from(String(flag ?? ''), 'base64')) : flag === 'true';
  if (isCompressed) return unzipText(Buffer.from(releaseHistory, 'base64'));
  return isSecret ? Buffer.from(releaseHistory, 'base64').toString('utf8') : releaseHistory;
}

const isSet = (bytes: Buffer): boolean => bytes.toString('latin1') === '\u0001' || bytes.toString('utf8') === 'true';

function readRelease(value: Json, { namespace }: ReleaseName): ReleaseRecord[] {
  const number = isJsonObject(value) ? value['number'] : undefined;
  if (!isJsonObject(value) || typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) return [];
  const single = { workload: value['managedWorkload'] ?? null, revision: value['managedWorkloadRevision'] ?? null };
  const workloads = [...listAt(value, 'managedWorkloads'), single].flatMap(one => readWorkload(one, namespace));
  return [{ number, status: statusOf(value['status']), pruning: false, hash: '', manifest: () => [], workloads }];
}

const statusOf = (value: Json | undefined): RecordStatus => (value === 'Succeeded' || value === 'InProgress' ? value : 'Failed');

function readWorkload(value: Json, otherwise: string): WorkloadRevision[] {
  if (!isJsonObject(value) || !isJsonObject(value['workload'])) return [];
  const { kind, name, namespace } = value['workload'];
  const { revision } = value;
  if (typeof kind !== 'string' || typeof name !== 'string' || (typeof revision !== 'string' && typeof revision !== 'number')) return [];
  return [{ kind, name, namespace: typeof namespace === 'string' ? namespace : otherwise, revision: String(revision) }];
}

function listAt(value: Json, field: string): Json[] {
  const list = isJsonObject(value) ? (value as JsonObject)[field] : undefined;
  return Array.isArray(list) ? list : [];
}
