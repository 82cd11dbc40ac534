import { useState } from 'react';
import { pathOf, resourceOf, type KubeObject } from '../../../data/kinds.ts';
import { may } from '../../../data/permissions.ts';
import { request } from '../../../data/request.ts';
import { ActionDialog } from '../../../parts/action-dialog.tsx';
import { Menu, type MenuItem } from '../../../parts/menu.tsx';
import { commandFor } from '../command-for.ts';
import type { ObjectAt } from '../object-place.ts';
import type { WorkloadSpec } from './workload-shape.ts';

const scaled: ReadonlySet<string> = new Set(['deployments.apps', 'statefulsets.apps', 'replicasets.apps']);
const restarted: ReadonlySet<string> = new Set(['deployments.apps', 'statefulsets.apps', 'daemonsets.apps']);

export const hasDeeds = (resource: string): boolean => scaled.has(resource) || restarted.has(resource);

/** What can be done with a workload beside editing it, by those who may. */
export function WorkloadDeeds({ object, at }: { object: KubeObject; at: ObjectAt }) {
  const { kind, cluster, namespace, name } = at;
  const resource = resourceOf(kind);
  const [deed, setDeed] = useState<'scale' | 'restart'>();
  const close = () => setDeed(undefined);

  async function items(): Promise<readonly MenuItem[]> {
    const [mayScale, mayPatch] = await Promise.all([
      scaled.has(resource) && may({ verb: 'patch', kind, subresource: 'scale', cluster, namespace, name }),
      restarted.has(resource) && may({ verb: 'patch', kind, cluster, namespace, name }),
    ]);
    return [
      ...(mayScale ? [{ id: 'scale', title: 'Scale', icon: 'compare', onChoose: () => setDeed('scale') } as const] : []),
      ...(mayPatch ? [{ id: 'restart', title: 'Restart', icon: 'refresh', onChoose: () => setDeed('restart') } as const] : []),
    ];
  }

  return (
    <>
      <Menu label="Actions" icon="more" items={items} />
      {deed === 'scale' && <ScaleDialog object={object} at={at} onClose={close} />}
      {deed === 'restart' && <RestartDialog at={at} onClose={close} />}
    </>
  );
}

const mergePatch = 'application/merge-patch+json';

function ScaleDialog({ object, at, onClose }: { object: KubeObject; at: ObjectAt; onClose(): void }) {
  const { kind, cluster, namespace, name } = at;
  const present = ((object['spec'] ?? {}) as WorkloadSpec).replicas ?? 1;
  const [text, setText] = useState(String(present));
  const isGood = /^\d{1,6}$/.test(text);
  const path = pathOf(kind, { cluster, namespace, name, subresource: 'scale' });
  const body = { spec: { replicas: Number(text) } };
  return (
    <ActionDialog
      title={`Scale ${name} on ${cluster}`}
      verb="Scale"
      isReady={isGood}
      command={commandFor(cluster, `scale ${kind.kind.toLowerCase()}/${name} --replicas=${text}`, namespace)}
      onClose={onClose}
      onDo={() => request(path, { method: 'PATCH', contentType: mergePatch, body })}
    >
      <label className="field">
        <span className="label">Replicas, now {present}</span>
        <input className="input" type="number" min={0} value={text} data-first onChange={event => setText(event.target.value)} />
      </label>
    </ActionDialog>
  );
}

function RestartDialog({ at: { kind, cluster, namespace, name }, onClose }: { at: ObjectAt; onClose(): void }) {
  // As kubectl does it, so that both say the same.
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
  const body = { spec: { template: { metadata: { annotations } } } };
  return (
    <ActionDialog
      title={`Restart ${name} on ${cluster}?`}
      verb="Restart"
      command={commandFor(cluster, `rollout restart ${kind.kind.toLowerCase()}/${name}`, namespace)}
      onClose={onClose}
      onDo={() => request(pathOf(kind, { cluster, namespace, name }), { method: 'PATCH', contentType: mergePatch, body })}
    >
      <p>Its pods are replaced by new ones, by its own strategy: as many at a time as that allows.</p>
    </ActionDialog>
  );
}
