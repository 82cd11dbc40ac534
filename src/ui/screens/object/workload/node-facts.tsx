import type { KubeObject } from '../../../data/kinds.ts';
import { SmallTable } from '../../../parts/small-table.tsx';
import { PodsCard } from './pods-card.tsx';

interface NodeLike {
  readonly spec?: {
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
    readonly podCIDR?: string;
    readonly providerID?: string;
  };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly nodeInfo?: Readonly<Record<string, unknown>>;
  };
}

/** What a node is and has, and what runs there. */
export function NodeFacts({ node, cluster }: { node: KubeObject; cluster: string }) {
  const { spec = {}, status = {} } = node as KubeObject & NodeLike;
  const { addresses = [], capacity = {}, allocatable = {}, nodeInfo = {} } = status;
  const info = (name: string) => String(nodeInfo[name] ?? '');
  const facts: [title: string, value: string][] = [
    ['Addresses', addresses.map(({ type, address }) => `${address} (${type})`).join(', ')],
    ['Kubelet', info('kubeletVersion')],
    ['System', [info('osImage'), info('kernelVersion'), info('architecture')].filter(Boolean).join(', ')],
    ['Runs containers by', info('containerRuntimeVersion')],
    ['Taints', (spec.taints ?? []).map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`).join(', ')],
    ['Addresses of pods', spec.podCIDR ?? ''],
    ['Provider', spec.providerID ?? ''],
  ];
  const names = Object.keys(capacity).filter(name => !name.startsWith('hugepages-') || capacity[name] !== '0');
  return (
    <>
      <section className="card">
        <dl className="facts">
          {facts
            .filter(([, value]) => value !== '')
            .map(([title, value]) => (
              <div key={title} className="fact">
                <dt>{title}</dt>
                <dd>{value}</dd>
              </div>
            ))}
        </dl>
      </section>
      {names.length > 0 && (
        <section className="card stack tight">
          <h2>What it has</h2>
          <SmallTable
            name="What it has"
            heads={['Of', 'All', 'For pods']}
            rows={names.toSorted().map(name => [name, capacity[name], allocatable[name] ?? '–'])}
          />
        </section>
      )}
      <PodsCard cluster={cluster} fieldSelector={`spec.nodeName=${node.metadata.name ?? ''}`} empty="No pods run there." />
    </>
  );
}
