import { useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import type { Work } from '../../../api/work.ts';
import { go } from '../../app/place.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { hub, kinds, pathOf, resourceOf, type KubeObject } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { useObject } from '../../data/use-list.ts';
import type { Listed } from '../../data/watched-list.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { later } from '../../parts/later.tsx';
import { KeptParts } from '../../parts/kept-parts.tsx';
import { Empty, ErrorNote, Loading, NoSuchPart } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { ObjectState } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { NoShell } from '../cluster/shell/no-shell.tsx';
import { runsContainers } from '../cluster/shell/runs-containers.ts';
import { NodeDeeds } from '../nodes/node-deeds.tsx';
import { WorkDeeds } from './workload/work-deeds.tsx';
import { WorkloadDeeds, hasDeeds } from './workload/workload-deeds.tsx';
import { commandFor } from './command-for.ts';
import { ObjectEvents } from './object-events.tsx';
import { driftId, ObjectFacts } from './object-facts.tsx';
import { useObjectAt, withLogs, type ObjectAt } from './object-place.ts';

const YamlTab = later(async () => (await import('./yaml-tab.tsx')).YamlTab);
const LogsTab = later(async () => (await import('./logs-tab.tsx')).LogsTab);
const ShellTab = later(async () => (await import('./shell-tab.tsx')).ShellTab);

/** A shell goes on while somebody looks at something else. */
const alive = new Set(['shell']);

/** One object on one cluster, whatever its kind. */
export function ObjectScreen() {
  const at = useObjectAt();
  return at ? <OneObject key={at.base} at={at} /> : <Loading />;
}

function OneObject({ at }: { at: ObjectAt }) {
  const { kind, cluster, namespace, name, tab, base } = at;
  const { object, listed } = useObject(kind, { cluster, namespace, name });
  const known = useLast(object);
  const [isRemoving, setRemoving] = useState(false);
  const mayDelete = useMay({ verb: 'delete', kind, cluster, namespace, name });
  const isPod = resourceOf(kind) === 'pods';
  const { object: member } = useObject<Cluster>(kinds.cluster, { name: isPod && cluster !== hub ? cluster : undefined });
  const isPlayed = member !== undefined && !runsContainers(member);
  const mayExec = useMay(isPod && !isPlayed ? { verb: 'create', kind: kinds.pod, subresource: 'exec', cluster, namespace } : undefined);
  // Kinds of the hub that are not Kubernetes' own are mostly about other clusters.
  const reachesMembers = cluster === hub && kind.group.includes('.') && !kind.group.endsWith('.k8s.io');
  const hasLogs = withLogs.has(resourceOf(kind));
  const isWork = resourceOf(kind) === 'works.drover.io';
  const tabs = [
    { id: '', title: 'Overview' },
    { id: 'yaml', title: 'YAML' },
    { id: 'events', title: 'Events' },
    ...(hasLogs ? [{ id: 'logs', title: 'Logs' }] : []),
    ...(mayExec ? [{ id: 'shell', title: 'Shell' }] : []),
  ];
  useShortcut('edit', () => go(`${base}/yaml`));
  useShortcut(isWork ? 'diff' : undefined, () => {
    go(base);
    requestAnimationFrame(() => document.getElementById(driftId)?.focus());
  });
  useShortcut(hasLogs ? 'logs' : undefined, () => go(`${base}/logs`));
  useShortcut(mayExec ? 'shell' : undefined, () => go(`${base}/shell`));
  const where = cluster === hub ? 'hub' : cluster;
  const list = base.split('/').slice(0, 5).join('/');
  return (
    <Page
      title={name}
      above={[
        { title: 'Explore', to: '/explore' },
        { title: kind.kind, to: list },
        { title: where, to: cluster === hub ? '/' : `/clusters/${encodeURIComponent(cluster)}` },
        ...(namespace === undefined ? [] : [{ title: namespace, to: objectAddressOfNamespace(cluster, namespace) }]),
      ]}
      back={list}
      beside={object && <ObjectState object={object} />}
      actions={
        <>
          {object && resourceOf(kind) === 'nodes' && <NodeDeeds cluster={cluster} name={name} isCordoned={isCordoned(object)} />}
          {object && cluster === hub && resourceOf(kind) === 'works.drover.io' && <WorkDeeds work={object as unknown as Work} />}
          {object && hasDeeds(resourceOf(kind)) && <WorkloadDeeds object={object} at={at} />}
          {object && mayDelete && (
            <button type="button" className="button" onClick={() => setRemoving(true)}>
              <Icon name="remove" />
              Delete
            </button>
          )}
        </>
      }
    >
      <OldNote listed={listed} cluster={where} />
      <Tabs tabs={tabs} current={tab} base={base} />
      {!object && known && listed.state === 'live' && <GoneNote name={name} cluster={where} />}
      {known ? (
        <KeptParts current={tab} alive={alive}>
          {id =>
            id === 'shell' && isPlayed ? <NoShell cluster={cluster} /> : <Tab object={known} at={{ ...at, tab: id }} isShown={id === tab} />
          }
        </KeptParts>
      ) : (
        <Missing listed={listed} name={name} />
      )}
      {isRemoving && (
        <ActionDialog
          title={`Delete ${kind.kind} ${name}?`}
          verb="Delete"
          isDanger
          typed={reachesMembers ? name : undefined}
          command={commandFor(cluster, `delete ${resourceOf(kind)} ${name}`, namespace)}
          onClose={() => setRemoving(false)}
          onDo={() => request(pathOf(kind, { cluster, namespace, name }), { method: 'DELETE', body: { propagationPolicy: 'Background' } })}
        >
          <p>
            It goes from <strong>{where}</strong>, and with it what it owns there
            {reachesMembers && ', and what it brings to other clusters, which may be many'}.
          </p>
        </ActionDialog>
      )}
    </Page>
  );
}

const isCordoned = (node: KubeObject): boolean => (node['spec'] as { unschedulable?: boolean } | undefined)?.unschedulable === true;

const objectAddressOfNamespace = (cluster: string, namespace: string) =>
  `/explore/core/v1/namespaces/${encodeURIComponent(cluster)}/_/${encodeURIComponent(namespace)}`;

function Tab({ object, at, isShown }: { object: KubeObject; at: ObjectAt; isShown: boolean }) {
  switch (at.tab) {
    case '':
      return <ObjectFacts object={object} at={at} />;
    case 'yaml':
      return <YamlTab object={object} at={at} />;
    case 'events':
      return <ObjectEvents object={object} cluster={at.cluster} />;
    case 'logs':
      return <LogsTab object={object} at={at} />;
    case 'shell':
      return <ShellTab object={object} at={at} isShown={isShown} />;
    default:
      return <NoSuchPart />;
  }
}

function Missing({ listed, name }: { listed: Listed; name: string }) {
  if (listed.error) return <ErrorNote error={listed.error} about={name} />;
  return listed.state === 'loading' ? <Loading /> : <Empty title={`${name} is not there`}>It may have been removed meanwhile.</Empty>;
}

/** The object as it last was: what somebody reads or writes does not vanish because the object does. */
function useLast(object: KubeObject | undefined): KubeObject | undefined {
  const [last, setLast] = useState(object);
  if (object && object !== last) setLast(object);
  return object ?? last;
}

function GoneNote({ name, cluster }: { name: string; cluster: string }) {
  return (
    <div className="note warn" role="status">
      <Icon name="warn" />
      <p>
        {name} is gone from {cluster}. What you see is what it was.
      </p>
    </div>
  );
}

function OldNote({ listed, cluster }: { listed: Listed; cluster: string }) {
  if (listed.state !== 'stale' || !listed.error) return null;
  return (
    <div className="note warn" role="status">
      <Icon name="warn" />
      <p>
        {cluster} does not answer: {listed.error.message}. What you see is as of <Time at={listed.asOf} isAgo />.
      </p>
    </div>
  );
}
