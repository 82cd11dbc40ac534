import { UnresolvedExpression } from '../expressions/expression-error.ts';
import { renderSelection } from '../infrastructure/render-selection.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import { resolveMessages } from '../infrastructure/resolve-messages.ts';
import { emptySelectionMessage, isEmptySelection, namedTest, selectClusters } from '../infrastructure/select-clusters.ts';
import type { ProviderClusters } from '../providers/provider-clusters.ts';
import { RancherError } from '../providers/rancher-error.ts';
import { faultOf, inputReasons } from './input-error.ts';
import type { InputFault, Resolution, ResolveLine, RunInputs } from './run-inputs.ts';
import { runScope } from './run-scope.ts';
import type { RunSnapshot } from './run-snapshot.ts';

type Request = Parameters<RunInputs['resolveClusters']>[1];

const line = (level: ResolveLine['level'], message: string): ResolveLine => ({ unit: 'Execute', level, message });
const applicationFault = (reason: string, message: string): InputFault => ({ failureType: 'ApplicationError', reason, message });

/** Why taints keep a run away from a cluster, for people. Undefined when they do not. */
export type WhyKeptAway = (snapshot: RunSnapshot, id: string) => string | undefined;

/** Asks the provider, and chooses. */
export function clusterResolver(providers: ProviderClusters, whyKeptAway: WhyKeptAway): RunInputs['resolveClusters'] {
  return async (snapshot, request, signal) => {
    const { type, url } = snapshot.provider;
    const lines = [line('INFO', resolveMessages.fetching(type, url))];
    const failed = (fault: InputFault): Resolution => ({ lines: [...lines, line('ERROR', fault.message)], fault });
    let fetched: readonly ResolvedCluster[];
    try {
      fetched = await providers.list(snapshot.provider, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RancherError)) throw error;
      const message = resolveMessages.providerFailed(type, error.message);
      return failed({ failureType: error.failureType, reason: inputReasons.providerFailed, message });
    }
    if (fetched.length === 0) return failed(applicationFault(inputReasons.emptyList, resolveMessages.emptyList(type)));
    lines.push(line('INFO', resolveMessages.fetched(fetched)));
    const chosen = choose(snapshot, request, fetched);
    if ('reason' in chosen) return failed(chosen);
    const reasons = chosen.map(({ id }) => whyKeptAway(snapshot, id));
    const eligible = chosen.filter((_, at) => reasons[at] === undefined);
    for (const [at, why] of reasons.entries()) if (why !== undefined) lines.push(line('WARN', resolveMessages.keptAway(chosen[at]!, why)));
    if (eligible.length === 0) return failed(applicationFault(inputReasons.noneEligible, resolveMessages.noneEligible));
    return { lines: [...lines, line('INFO', resolveMessages.eligible(eligible))], fetched, eligible };
  };
}

function choose(snapshot: RunSnapshot, request: Request, fetched: readonly ResolvedCluster[]): readonly ResolvedCluster[] | InputFault {
  const { only = [], exclude = [], facts } = request;
  try {
    // Nothing of a secret must be seen in which clusters are chosen.
    const { secrets: _, ...open } = facts;
    const selection = renderSelection(snapshot.infrastructure.spec, runScope(snapshot, open));
    if (isEmptySelection(selection)) return applicationFault(inputReasons.emptySelection, emptySelectionMessage);
    const isWanted = only.length > 0 ? namedTest(only) : () => true;
    const isExcluded = namedTest(exclude);
    return selectClusters(selection, fetched).filter(one => isWanted(one) && !isExcluded(one));
  } catch (error) {
    const fault = faultOf(error, error instanceof UnresolvedExpression ? 'Cluster selection: ' : '');
    if (!fault) throw error;
    return fault;
  }
}
