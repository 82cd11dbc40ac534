import { Secret } from '../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../api/object.ts';
import { errorText } from '../../util/error-text.ts';
import { isJsonObject, parseJson, printJson } from '../../util/json.ts';
import type { HelmRelease, ReleaseKey, ReleaseStatus } from './helm-release.ts';
import { decodeRelease, encodeRelease } from './release-codec.ts';

/** How far a delivery of ours has come. It lies beside the release, where Helm does not look; when Helm writes the record, it is gone. */
export interface Progress {
  /** The digest of what was delivered. */
  readonly inputs: string;
  /** Tells the runs of the same hook apart when a revision is uninstalled a second time. */
  readonly attempt: number;
  /** The hook that was begun, as event/index. It may have been created or not. */
  readonly begun?: string;
  /** Hooks that have ended well, as event/index. */
  readonly ended: readonly string[];
  /** Why the hook that was begun failed. */
  readonly problem?: string;
  /** Why the revision failed. */
  readonly failure?: string;
  /** The revision that failed and is being undone by this one. */
  readonly undoes?: number;
  /** Whether a failed revision is still to be undone. */
  readonly mustUndo?: boolean;
}

/** One revision as it lies on the member. */
export interface ReleaseRecord {
  readonly release: HelmRelease;
  /** Absent: somebody else wrote it last. */
  readonly progress: Progress | undefined;
  /** Why it cannot be read. Then the release has only what its labels say, and must not be written. */
  readonly problem?: string;
  /** The Secret it was read from, for the next write. */
  readonly stored?: { readonly resourceVersion: string; readonly createdAt: string };
}

/** Where a delivery of ours writes its progress. An annotation, not a label: Helm copies labels to its own revisions. */
export const progressAnnotation = 'drover.io/delivery';

const systemLabels = new Set(['name', 'owner', 'status', 'version', 'createdAt', 'modifiedAt']);

export const recordName = (name: string, revision: number): string => `sh.helm.release.v1.${name}.v${revision}`;

/** Selects all revisions of a release. */
export const recordSelector = ({ name }: ReleaseKey): string => `name=${name},owner=helm`;

/** The Secret in which Helm keeps a revision. */
export async function secretOf(record: ReleaseRecord, now: Date): Promise<Secret> {
  const { release, progress, stored } = record;
  const at = String(Math.floor(now.getTime() / 1000));
  const text = await encodeRelease(release);
  return {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: {
      name: recordName(release.name, release.revision),
      namespace: release.namespace,
      labels: {
        ...release.labels,
        name: release.name,
        owner: 'helm',
        status: release.status,
        version: String(release.revision),
        ...(stored ? { createdAt: stored.createdAt, modifiedAt: at } : { createdAt: at }),
      },
      ...(progress && { annotations: { [progressAnnotation]: printJson(progress) } }),
      ...(stored && { resourceVersion: stored.resourceVersion }),
    },
    type: 'helm.sh/release.v1',
    data: { release: Buffer.from(text).toString('base64') },
  };
}

/** Reads a Secret that Helm or we wrote. One that cannot be read still counts as a revision. */
export async function recordOf(secret: Secret): Promise<ReleaseRecord> {
  const { labels = {}, annotations = {}, resourceVersion = '', namespace = '' } = secret.metadata;
  const stored = { resourceVersion, createdAt: labels['createdAt'] ?? '' };
  const own = Object.fromEntries(Object.entries(labels).filter(([name]) => !systemLabels.has(name)));
  try {
    const release = await decodeRelease(Buffer.from(secret.data?.['release'] ?? '', 'base64').toString('latin1'), own);
    return {
      release: { ...release, namespace: release.namespace || namespace },
      progress: parseProgress(annotations[progressAnnotation]),
      stored,
    };
  } catch (error) {
    return { release: brokenRelease(secret), progress: undefined, problem: errorText(error), stored };
  }
}

/** Something that does not read as progress of ours counts as none. */
export function parseProgress(text: string | undefined): Progress | undefined {
  if (text === undefined) return undefined;
  let value;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { inputs, attempt, begun, ended, problem, failure, undoes, mustUndo } = value;
  if (typeof inputs !== 'string' || typeof attempt !== 'number' || !Array.isArray(ended)) return undefined;
  return {
    inputs,
    attempt,
    ...(typeof begun === 'string' && { begun }),
    ended: ended.filter(key => typeof key === 'string'),
    ...(typeof problem === 'string' && { problem }),
    ...(typeof failure === 'string' && { failure }),
    ...(typeof undoes === 'number' && { undoes }),
    ...(mustUndo === true && { mustUndo }),
  };
}

function brokenRelease({ metadata: { name = '', namespace = '', labels = {} } }: Secret): HelmRelease {
  const revision = Number(/\.v([0-9]+)$/.exec(name)?.[1] ?? labels['version'] ?? 0);
  return {
    name: labels['name'] ?? '',
    namespace,
    revision,
    status: (labels['status'] ?? 'unknown') as ReleaseStatus,
    description: '',
    notes: '',
    chart: { metadata: {}, parts: ['null'] },
    config: {},
    manifest: '',
    hooks: [],
    applyMethod: '',
    labels: {},
    rest: { release: {}, info: {} },
  };
}
