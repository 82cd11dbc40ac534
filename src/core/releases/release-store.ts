import { Namespace, Secret } from '../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { workReasons } from '../../api/work.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Member } from '../delivery/member.ts';
import type { HelmRelease } from './helm-release.ts';
import { recordName, secretOf, type ReleaseRecord } from './release-record.ts';

interface WriteContext {
  readonly signal: AbortSignal;
  now(): Date;
}

/** Writes a new revision. Somebody else who writes the same one at the same moment makes this throw a conflict. */
export async function createRecord(
  member: Member,
  record: ReleaseRecord,
  ctx: WriteContext,
  { createNamespace = false } = {},
): Promise<ReleaseRecord> {
  const secret = await secretOf(record, ctx.now());
  checkSize(record, secret);
  const write = () => member.client.create(Secret, secret, { signal: ctx.signal });
  try {
    return stored(record, await write());
  } catch (error) {
    if (!createNamespace || !isNamespaceMissing(error)) throw explainWrite(record, error);
  }
  await ensureNamespace(member, record.release.namespace, ctx.signal);
  try {
    return stored(record, await write());
  } catch (error) {
    throw explainWrite(record, error);
  }
}

/** Writes a revision that was read, or written, before. Throws a conflict when somebody else has changed it since. */
export async function updateRecord(member: Member, record: ReleaseRecord, ctx: WriteContext): Promise<ReleaseRecord> {
  const secret = await secretOf(record, ctx.now());
  checkSize(record, secret);
  try {
    return stored(record, await member.client.update(Secret, secret, { signal: ctx.signal }));
  } catch (error) {
    throw explainWrite(record, error);
  }
}

export async function deleteRecord({ client }: Member, { name, namespace, revision }: HelmRelease, signal: AbortSignal): Promise<void> {
  await client.delete(Secret, { namespace, name: recordName(name, revision) }, { signal });
}

function stored(record: ReleaseRecord, { metadata }: Secret): ReleaseRecord {
  const { resourceVersion = '', labels = {} } = metadata;
  return { ...record, stored: { resourceVersion, createdAt: labels['createdAt'] ?? '' } };
}

/** What a Secret may hold. */
const maxSecretBytes = 1024 * 1024;

function checkSize({ release }: ReleaseRecord, { data }: Secret): void {
  const sizeBytes = Math.ceil(((data?.['release'] ?? '').length * 3) / 4);
  if (sizeBytes <= maxSecretBytes) return;
  const words = `cannot record revision ${release.revision}: chart, values and manifests have ${sizeBytes} bytes when packed, a Secret holds ${maxSecretBytes}`;
  throw new DeliveryError(workReasons.applyFailed, words, { isFinal: true });
}

const isNamespaceMissing = (error: unknown): boolean =>
  error instanceof StatusError && error.code === 404 && error.details?.kind === 'namespaces';

async function ensureNamespace({ client }: Member, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.create(
      Namespace,
      { apiVersion: apiVersionOf(Namespace), kind: 'Namespace', metadata: { name, labels: { name } } },
      { signal },
    );
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
  }
}

/** A refusal that only a person can change gets words of its own; everything else is for the next try. */
function explainWrite({ release }: ReleaseRecord, error: unknown): unknown {
  const { name, namespace, revision } = release;
  const object = { group: '', version: 'v1', kind: 'Secret', namespace, name: recordName(name, revision) };
  if (isNamespaceMissing(error)) {
    const words = `cannot record revision ${revision}: namespace "${namespace}" does not exist: add it, or set spec.options.createNamespace`;
    return new DeliveryError(workReasons.applyFailed, words, { object, cause: error });
  }
  if (!(error instanceof StatusError) || (error.code !== 403 && error.code !== 422 && error.code !== 413)) return error;
  return new DeliveryError(workReasons.applyFailed, `cannot record revision ${revision}`, { object, cause: error });
}
