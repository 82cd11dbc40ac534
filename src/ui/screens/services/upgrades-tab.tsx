import { useState } from 'react';
import { pathOf } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/notes.tsx';
import { keyOf, kindOf, kubectlName, serviceKey, type MultiClusterService } from './service-kinds.ts';
import type { WhereRow } from './where.ts';

interface Step {
  readonly name: string;
  readonly version?: string;
}

interface Upgrade {
  readonly index: number;
  readonly release: string;
  readonly from: string;
  readonly to: string;
}

/** Along which templates each service can be upgraded, and which versions there are where. */
export function UpgradesTab({ mcs, rows }: { mcs: MultiClusterService; rows: readonly WhereRow[] }) {
  const [asked, setAsked] = useState<Upgrade>();
  const { namespace, name = '' } = mcs.metadata;
  const mayPatch = useMay({ verb: 'patch', kind: kindOf(mcs), namespace, name });
  const services = mcs.spec.serviceSpec?.services ?? [];
  if (services.length === 0) return <Empty title="It has no services">spec.serviceSpec.services names them.</Empty>;
  return (
    <div className="stack">
      {services.map((service, index) => {
        const release = serviceKey(service);
        const paths = mcs.status?.servicesUpgradePaths?.find(one => serviceKey(one) === release);
        const ways = (paths?.availableUpgrades ?? []).map(({ versions = [] }) => versions).filter(way => !isItself(way, service.template));
        const present = [...new Set(rows.filter(one => one.release === release && one.version !== '').map(one => one.version))];
        return (
          <section key={release} className="card section" aria-label={`Upgrades of ${release}`}>
            <div className="row">
              <h2>
                <bdi>{release}</bdi>
              </h2>
              <span className="tag">{service.template}</span>
              {service.templateChain && <span className="muted">along chain {service.templateChain}</span>}
            </div>
            <p className="muted">On clusters: {present.join(', ') || 'nothing yet'}</p>
            {ways.length === 0 && (
              <p>
                {service.templateChain
                  ? 'The chain has no way onwards from this template.'
                  : 'Without a templateChain it can be set to any template; a chain says which upgrades are safe.'}
              </p>
            )}
            <ul className="section">
              {ways.map((way, i) => (
                <li key={i} className="way">
                  <span className="tag">{service.template}</span>
                  {way.map(step => (
                    <span key={step.name} className="way">
                      <Icon name="next" size={12} />
                      {mayPatch ? (
                        <button
                          type="button"
                          className="button"
                          onClick={() => setAsked({ index, release, from: service.template, to: step.name })}
                        >
                          Upgrade to {titleOf(step)}
                        </button>
                      ) : (
                        <span className="tag">{titleOf(step)}</span>
                      )}
                    </span>
                  ))}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {asked && <UpgradeDialog mcs={mcs} upgrade={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

/** Without a chain the only way is to where it is. */
const isItself = (way: readonly Step[], template: string): boolean => way.length === 0 || (way.length === 1 && way[0]!.name === template);

const titleOf = ({ name, version }: Step): string => (version === undefined || version === name ? name : `${name} (${version})`);

function UpgradeDialog({ mcs, upgrade, onClose }: { mcs: MultiClusterService; upgrade: Upgrade; onClose(): void }) {
  const { index, release, from, to } = upgrade;
  const { namespace, name = '' } = mcs.metadata;
  const path = `/spec/serviceSpec/services/${index}/template`;
  // Refused when somebody else was faster.
  const body = [
    { op: 'test', path, value: from },
    { op: 'replace', path, value: to },
  ];
  const count = mcs.status?.matchingClusters?.length ?? 0;
  return (
    <ActionDialog
      title={`Upgrade ${release}`}
      verb="Upgrade"
      command={`kubectl patch ${kubectlName(mcs)} --type=json -p '${JSON.stringify(body)}'`}
      onDo={() => request(pathOf(kindOf(mcs), { namespace, name }), { method: 'PATCH', body, contentType: 'application/json-patch+json' })}
      onClose={onClose}
    >
      <p>
        {keyOf(mcs)} brings template <strong>{to}</strong> instead of {from} to {count === 1 ? 'one cluster' : `${count} clusters`},{' '}
        {mcs.spec.rollout ? 'wave by wave' : 'all at once'}. Clusters that are further back go step by step.
      </p>
    </ActionDialog>
  );
}
