import type { Cluster } from '../../api/cluster.ts';
import type { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { WebhookAddress } from '../../core/admission/register-webhooks.ts';
import type { MemberDirectory } from '../../core/clusters/member-directory.ts';
import type { RenderPool } from '../../render/render-pool.ts';
import type { RunningController } from '../../runtime/controller.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import type { Egress } from '../../sources/egress.ts';
import { runDeliveryRegistration } from './admission/register-delivery.ts';
import { runApprovals } from './approvals/approvals-controller.ts';
import { barrierDesk } from './barriers/barrier-desk.ts';
import { runClusterRuns } from './cluster-runs/cluster-runs-controller.ts';
import { runDefinitions } from './definitions/keep-definitions.ts';
import { runDeliveryRoles } from './delivery-roles.ts';
import { freezeDesk, runFreezes } from './freezes/run-freezes.ts';
import { runGateWorks } from './gates/gate-works-controller.ts';
import { runGateDesk } from './gates/run-gate-desk.ts';
import { hubRunInputs, runRunContents } from './inputs/hub-run-inputs.ts';
import { runInfrastructures } from './infrastructure/infrastructure-controller.ts';
import { CloudProvider } from './kinds/cloud-provider.ts';
import { GateTemplate } from './kinds/gate.ts';
import { Environment } from './kinds/service-definition.ts';
import { eventHerald } from './notifications/event-herald.ts';
import { runNotifications } from './notifications/notifications-controller.ts';
import { runPipelines } from './pipelines/pipeline-controller.ts';
import { runProviders } from './providers/run-providers.ts';
import { whyRunKeptAway } from './runs/see-clusters.ts';
import { runWorkflowRuns } from './runs/run-controller.ts';
import { runSecrets } from './runs/run-secrets.ts';
import { runWorkflowSummaries } from './runs/summarize-workflows.ts';
import { runSources } from './triggers/sources-controller.ts';
import { runTriggers } from './triggers/trigger-controller.ts';
import { webhookAddress } from './web/webhook-route.ts';
import type { WorkflowObjects } from './workflow-objects.ts';

export interface WorkflowsDeps {
  readonly hub: KubeClient;
  readonly objects: WorkflowObjects;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly members: Pick<MemberDirectory, 'client' | 'synced'>;
  readonly renderer: RenderPool;
  /** The way to whatever is outside. */
  readonly egress: Egress;
  /** Where the API server of the hub asks before it writes. */
  readonly admission: WebhookAddress;
  /** Where people find the hub. */
  serverUrl(): string;
  /** How many clusters may be busy at the same time, over all runs. */
  readonly maxInFlight?: number | undefined;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

/** Runs everything of workflows, whose kinds must be installed. */
export function runWorkflows(deps: WorkflowsDeps): RunningController[] {
  const { hub, objects, clusters, works, members, renderer, egress, admission, serverUrl, signal, onError } = deps;
  const { runs, clusterRuns, requests, workflows, logs } = objects;
  const templates = informer(hub, GateTemplate, { signal, onError: onError('GateTemplate') });
  const environments = informer(hub, Environment, { signal, onError: onError('Environment') });
  const providers = informer(hub, CloudProvider, { signal, onError: onError('CloudProvider') });
  const sources = runProviders({ hub, providers, clusters, signal });
  const inputs = hubRunInputs({
    hub,
    renderer,
    egress,
    providers: sources.providerClusters,
    whyKeptAway: (snapshot, id) => whyRunKeptAway({ clusters, works }, snapshot, id),
  });
  const watched = runSources({ ...objects, hub, egress, signal });
  const herald = eventHerald({ hub, serverUrl, signal });
  const barriers = barrierDesk({ ...objects, signal });
  const gates = runGateDesk({ hub, requests, templates, works, members, egress, barriers, signal });
  const freezes = freezeDesk(objects.freezes);
  const secrets = runSecrets({ runs, inputs, logs, signal });
  const shared = { hub, runs, clusterRuns, clusters, works, requests, inputs, herald, logs, secrets, signal };
  return [
    runWorkflowRuns({ ...shared, gates, freezes, serverUrl, maxInFlight: deps.maxInFlight }),
    ...runClusterRuns({ ...shared, members }),
    runWorkflowSummaries({ hub, workflows, runs, signal }),
    ...runDefinitions({ ...objects, hub, environments, templates, signal }),
    runApprovals({ hub, requests, runs, signal }),
    runFreezes({ hub, freezes: objects.freezes, signal }),
    runGateWorks({ hub, runs, works, signal }),
    runPipelines({ ...objects, hub, herald, signal }),
    watched.controller,
    runTriggers({ ...objects, hub, manifests: watched.manifests, addressOf: trigger => webhookAddress(trigger, serverUrl()), signal }),
    runNotifications({ hub, egress, signal, onError }),
    runRunContents(hub, runs, signal),
    ...sources.controllers,
    runDeliveryRoles(hub, signal),
    runDeliveryRegistration({ hub, address: admission, after: Promise.resolve(), signal }),
    runInfrastructures({ hub, infrastructures: objects.infrastructures, providers, clusters, clustersOf: sources.clustersOf, signal }),
  ];
}
