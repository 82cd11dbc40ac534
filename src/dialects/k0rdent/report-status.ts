import type { Kind } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { isMissing } from '../../client/missing-object.ts';
import { jsonEqual } from '../../util/json.ts';
import { componentValue, k0rdentLabels } from './kinds/group.ts';

type WithStatus<Status> = KubeObject & { status?: Status };

export interface ReportOptions {
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/** Writes the status of an object unless it says that already. An object that has gone meanwhile is left alone. */
export async function reportStatus<Spec, Status extends object>(
  hub: KubeClient,
  kind: Kind<Spec, Status>,
  { metadata, status: present }: WithStatus<Status>,
  status: Status,
  { fieldManager, signal }: ReportOptions,
): Promise<void> {
  if (jsonEqual(present, status)) return;
  const { namespace, name = '', uid } = metadata;
  const target = { name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
  const body = { metadata: target, status } as Partial<KubeObject & { spec: Spec; status?: Status }> & Pick<KubeObject, 'metadata'>;
  await unlessMissing(name, hub.apply(kind, body as never, { fieldManager, subresource: 'status', signal }));
}

export interface Marks {
  readonly labels?: Readonly<Record<string, string>>;
  /** Undefined ones are taken away. */
  readonly annotations?: Readonly<Record<string, string | undefined>>;
}

/** What every object of k0rdent that is looked after has. */
export const componentLabels = { [k0rdentLabels.component]: componentValue } as const;

/** Puts labels and annotations on an object that lacks them. */
export async function markObject(
  hub: KubeClient,
  kind: Kind,
  { metadata }: KubeObject,
  { labels = {}, annotations = {} }: Marks,
  { fieldManager, signal }: ReportOptions,
): Promise<void> {
  const hasAll = (present: Readonly<Record<string, string>> | undefined, all: Marks['annotations']) =>
    Object.entries(all ?? {}).every(([key, value]) => present?.[key] === value);
  if (hasAll(metadata.labels, labels) && hasAll(metadata.annotations, annotations)) return;
  const { namespace, name = '', uid } = metadata;
  const body = {
    metadata: {
      ...(uid !== undefined && { uid }),
      labels: { ...labels },
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, value ?? null])),
    },
  };
  await unlessMissing(name, hub.patch(kind, { namespace, name }, { type: 'merge', body }, { fieldManager, signal }));
}

async function unlessMissing(name: string, write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isMissing(error, { name })) throw error;
  }
}
