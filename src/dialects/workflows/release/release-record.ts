import type { KubeObject } from '../../../api/object.ts';
import { isJsonObject, printJson } from '../../../util/json.ts';
import type { Color, RecordStatus, ReleaseName, ReleaseRecord } from './book.ts';
import { foundKey, markKey, ownAnnotations, readMark, withAnnotations } from './marks.ts';
import { packManifest, unpackManifest } from './record-codec.ts';
import type { LargeManifest } from './step.ts';

const recordType = 'harness.io/release/v2';

export interface NewRecord {
  readonly release: ReleaseName;
  readonly number: number;
  readonly prefix: string;
  readonly pruning: boolean;
  readonly color?: Color;
  readonly environment?: 'primary' | 'stage';
  readonly objects: readonly KubeObject[];
  readonly run: { readonly name: string; readonly uid: string; readonly wave: string };
}

/** The record of a release that begins. The manifest is given besides when it is too large for the record. */
export function openRecord(input: NewRecord): { record: ReleaseRecord; large?: LargeManifest } {
  const { release, number, prefix, pruning, color, environment, objects, run } = input;
  const { hash, data, digest, text } = packManifest(objects);
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: recordName(release, number),
      namespace: release.namespace,
      labels: {
        owner: 'harness',
        release: release.name,
        'release-number': String(number),
        status: 'InProgress',
        [markKey(prefix, 'pruning-enabled')]: String(pruning),
        [markKey(prefix, 'manifest-hash')]: hash,
        ...(color && { color }),
        ...(environment && { [markKey(prefix, 'bg-environment')]: environment }),
      },
      annotations: {
        [ownAnnotations.run]: run.name,
        [ownAnnotations.runUid]: run.uid,
        [ownAnnotations.wave]: run.wave,
        ...(data === undefined && { [ownAnnotations.manifestRef]: digest }),
      },
    },
    type: recordType,
    ...(data !== undefined && { data: { release: data } }),
  };
  const record = { ...readRecord(secret, number, prefix), manifest: () => objects };
  return data === undefined ? { record, large: { digest, text } } : { record };
}

export const recordName = ({ name }: ReleaseName, number: number): string => `harness.release.${name}.${number}`;

/** The number in its name. Undefined for everything that is no record of the release. */
export function recordNumber({ apiVersion, kind, metadata }: KubeObject, release: ReleaseName): number | undefined {
  if (apiVersion !== 'v1' || kind !== 'Secret' || (metadata.namespace ?? release.namespace) !== release.namespace) return undefined;
  const start = `harness.release.${release.name}.`;
  const rest = metadata.name?.startsWith(start) ? metadata.name.slice(start.length) : '';
  return /^[1-9][0-9]{0,14}$/.test(rest) ? Number(rest) : undefined;
}

export const isRecord = (obj: KubeObject, release: ReleaseName): boolean => recordNumber(obj, release) !== undefined;

const statuses: readonly string[] = ['InProgress', 'Succeeded', 'Failed'] satisfies RecordStatus[];

/** Where manifests are that were too large for their record. Throws when there is none of that digest. */
export type LargeManifests = (digest: string) => readonly KubeObject[];

/** Reads what we or Harness wrote. */
export function readRecord(secret: KubeObject, number: number, prefix: string, large?: LargeManifests): ReleaseRecord {
  const { labels = {}, annotations = {} } = secret.metadata;
  const color = labels['color'];
  const environment = readMark(labels, prefix, 'bg-environment');
  const status = statuses.includes(labels['status'] ?? '') ? (labels['status'] as RecordStatus) : 'Failed';
  const [run, runUid, wave] = [annotations[ownAnnotations.run], annotations[ownAnnotations.runUid], annotations[ownAnnotations.wave]];
  return {
    number,
    status,
    pruning: readMark(labels, prefix, 'pruning-enabled') === 'true',
    hash: readMark(labels, prefix, 'manifest-hash') ?? '',
    ...((color === 'blue' || color === 'green') && { color }),
    ...((environment === 'primary' || environment === 'stage') && { environment }),
    ...(run !== undefined && { run }),
    ...(runUid !== undefined && { runUid }),
    ...(wave !== undefined && { wave }),
    secret,
    manifest: () => readManifest(secret, large),
  };
}

function readManifest(secret: KubeObject, large?: LargeManifests): readonly KubeObject[] {
  const digest = secret.metadata.annotations?.[ownAnnotations.manifestRef];
  const { data } = secret;
  const release = isJsonObject(data) ? data['release'] : undefined;
  try {
    if (typeof release === 'string') return unpackManifest(release);
    if (digest !== undefined && large) return large(digest);
  } catch (cause) {
    throw new Error(`cannot read release record "${secret.metadata.name}"`, { cause });
  }
  throw new Error(`release record "${secret.metadata.name}" holds no manifest`);
}

/** None when nobody can read them: for what is only tidied up. */
export function knownObjects(record: ReleaseRecord): readonly KubeObject[] {
  try {
    return record.manifest();
  } catch {
    return [];
  }
}

export const withStatus = (record: ReleaseRecord, status: RecordStatus): ReleaseRecord =>
  record.status === status ? record : { ...record, status, ...relabelled(record, { status }) };

export function withEnvironment(record: ReleaseRecord, environment: 'primary' | 'stage', prefix: string): ReleaseRecord {
  if (record.environment === environment) return record;
  const key = foundKey(record.secret?.metadata.labels, prefix, 'bg-environment') ?? markKey(prefix, 'bg-environment');
  return { ...record, environment, ...relabelled(record, { [key]: environment }) };
}

/** By workload, such as `Deployment/web`. */
export function withRevisions(record: ReleaseRecord, revisions: Readonly<Record<string, string>>): ReleaseRecord {
  if (!record.secret || Object.keys(revisions).length === 0) return record;
  return { ...record, secret: withAnnotations(record.secret, { [ownAnnotations.workloadRevisions]: printJson(revisions) }) };
}

function relabelled({ secret }: ReleaseRecord, labels: Readonly<Record<string, string>>): { secret?: KubeObject } {
  return secret ? { secret: { ...secret, metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, ...labels } } } } : {};
}
