import { useState } from 'react';
import { useLocation } from 'wouter';
import { useShortcut } from '../../app/shortcuts.tsx';
import { hub, kinds, pathOf, resourceOf, type KubeObject } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { useObject } from '../../data/use-list.ts';
import type { Listed } from '../../data/watched-list.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { later } from '../../parts/later.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { ObjectState } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { NodeDeeds } from '../nodes/node-deeds.tsx';
import { ObjectEvents } from './object-events.tsx';
import { ObjectFacts } from './object-facts.tsx';
import { useObjectAt, type ObjectAt } from './object-place.ts';

const YamlTab = later(async () => (await import('./yaml-tab.tsx')).YamlTab);
const LogsTab = later(async () => (await import('./logs-tab.tsx')).LogsTab);
const ShellTab = later(async () => (await import('./shell-tab.tsx')).ShellTab);

const withLogs = new Set(['pods', 'deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'replicasets.apps', 'jobs.batch']);

/** One object on one cluster, whatever its kind. */
export function ObjectScreen() {
  const at = useObjectAt();
  return at ? <OneObject key={at.base} at={at} /> : <Loading />;
}

function OneObject({ at }: { at: ObjectAt }) {
  const { kind, cluster, namespace, name, tab, base } = at;
  const { object, listed } = useObject(kind, { cluster, namespace, name });
  const [isRemoving, setRemoving] = useState(false);
  const [, go] = useLocation();
  const mayDelete = useMay({ verb: 'delete', kind, cluster, namespace, name });
  const mayExec = useMay(
    kind === undefined || kind.plural !== 'pods' ? undefined : { verb: 'create', kind: kinds.pod, subresource: 'exec', cluster, namespace },
  );
  const hasLogs = withLogs.has(resourceOf(kind));
  const tabs = [
    { id: '', title: 'Overview' },
    { id: 'yaml', title: 'YAML' },
    { id: 'events', title: 'Events' },
    ...(hasLogs ? [{ id: 'logs', title: 'Logs' }] : []),
    ...(mayExec ? [{ id: 'shell', title: 'Shell' }] : []),
  ];
  useShortcut('edit', () => go(`${base}/yaml`));
  useShortcut(hasLogs ? 'logs' : undefined, () => go(`${base}/logs`));
  useShortcut(mayExec ? 'shell' : undefined, () => go(`${base}/shell`));
  const where = cluster === hub ? 'hub' : cluster;
  return (
    <Page
      title={name}
      above={[
        { title: 'Explore', to: '/explore' },
        { title: kind.kind, to: base.split('/').slice(0, 5).join('/') },
        { title: where, to: cluster === hub ? '/' : `/clusters/${encodeURIComponent(cluster)}` },
        ...(namespace === undefined ? [] : [{ title: namespace, to: objectAddressOfNamespace(cluster, namespace) }]),
      ]}
      beside={object && <ObjectState object={object} />}
      actions={
        <>
          {object && resourceOf(kind) === 'nodes' && <NodeDeeds cluster={cluster} name={name} isCordoned={isCordoned(object)} />}
          {mayDelete && (
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
      {object ? <Tab object={object} at={at} /> : <Missing listed={listed} name={name} />}
      {isRemoving && (
        <ActionDialog
          title={`Delete ${kind.kind} ${name}?`}
          verb="Delete"
          isDanger
          command={commandFor(cluster, `delete ${resourceOf(kind)} ${name}`, namespace)}
          onClose={() => setRemoving(false)}
          onDo={() => request(pathOf(kind, { cluster, namespace, name }), { method: 'DELETE', body: { propagationPolicy: 'Background' } })}
        >
          <p>
            It goes from <strong>{where}</strong>, and with it what it owns there.
          </p>
        </ActionDialog>
      )}
    </Page>
  );
}

const isCordoned = (node: KubeObject): boolean => (node['spec'] as { unschedulable?: boolean } | undefined)?.unschedulable === true;

const objectAddressOfNamespace = (cluster: string, namespace: string) =>
  `/explore/core/v1/namespaces/${encodeURIComponent(cluster)}/_/${encodeURIComponent(namespace)}`;

function Tab({ object, at }: { object: KubeObject; at: ObjectAt }) {
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
      return <ShellTab object={object} at={at} />;
    default:
      return <Empty title="There is no such part" />;
  }
}

function Missing({ listed, name }: { listed: Listed; name: string }) {
  if (listed.error) return <ErrorNote error={listed.error} about={name} />;
  return listed.state === 'loading' ? <Loading /> : <Empty title={`${name} is not there`}>It may have been removed meanwhile.</Empty>;
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

/** The same with kubectl, through the hub. */
export function commandFor(cluster: string, words: string, namespace?: string): string {
  const rest = namespace === undefined ? words : `-n ${namespace} ${words}`;
  return cluster === hub ? `kubectl ${rest}` : `drover kubectl ${cluster} -- ${rest}`;
}
