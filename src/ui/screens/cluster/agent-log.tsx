import { kinds, objectPlace } from '../../data/kinds.ts';
import { useObject } from '../../data/use-list.ts';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { LogsTab } from '../object/logs-tab.tsx';

/** Where the import puts the agent; Rancher's names. */
const agent = { namespace: 'cattle-system', name: 'cattle-cluster-agent' };

/** What the agent of a cluster writes, as far as it runs there as a pod. */
export function AgentLog({ name }: { name: string }) {
  const at = {
    kind: kinds.deployment,
    cluster: name,
    ...agent,
    tab: 'logs',
    base: objectPlace(kinds.deployment, { cluster: name, ...agent }),
  };
  const { object, listed } = useObject(kinds.deployment, at);
  if (listed.error) return <ErrorNote error={listed.error} about="Agent" />;
  if (object) return <LogsTab object={object} at={at} />;
  if (listed.state === 'loading') return <Loading />;
  return (
    <Empty title="It does not run there as a pod" command={`kubectl -n ${agent.namespace} get deployment ${agent.name}`}>
      An agent that was started elsewhere writes its log where it was started.
    </Empty>
  );
}
