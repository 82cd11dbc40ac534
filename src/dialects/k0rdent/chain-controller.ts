import { newObject, type Kind } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { errorText } from '../../util/error-text.ts';
import { checkChain } from './check-chain.ts';
import { copiedAnnotations, copiedSpec } from './copy-template.ts';
import { k0rdentLabels, systemNamespace } from './kinds/group.ts';
import { ClusterTemplate, ClusterTemplateChain, ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';
import { byTemplate, type TemplateInformers } from './template-informers.ts';

export interface ChainsDeps {
  readonly hub: KubeClient;
  readonly templates: TemplateInformers;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-chains';

/** Says whether chains can be used. Those that AccessManagement gave to a namespace bring their templates along. */
export function runChains({ hub, templates, signal }: ChainsDeps): RunningController[] {
  return [
    run(ServiceTemplateChain, templates.serviceChains, ServiceTemplate, templates.serviceTemplates),
    run(ClusterTemplateChain, templates.clusterChains, ClusterTemplate, templates.clusterTemplates),
  ];

  function run<T extends ServiceTemplate | ClusterTemplate>(
    kind: Kind<ServiceTemplateChain['spec'], NonNullable<ServiceTemplateChain['status']>>,
    chains: Informer<ServiceTemplateChain>,
    templateKind: Kind<T['spec'], NonNullable<T['status']>>,
    known: Informer<T>,
  ): RunningController {
    // A template of the system namespace concerns the chains of all namespaces.
    const chainsOf = ({ metadata: { namespace, name = '' } }: KubeObject) =>
      chains.by(byTemplate, namespace === systemNamespace ? name : `${namespace}/${name}`).map(keyOf);
    return runController(
      { name: `k0rdent-${kind.resource}`, reconcile },
      { triggers: [changesOf(chains), changesOf(known, chainsOf)], signal, firstDelayMs: 500 },
    );

    async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
      const chain = chains.get(key);
      if (!chain || chain.metadata.deletionTimestamp !== undefined) return settled;
      const options = { fieldManager, signal: ctx.signal };
      const fault = checkChain(chain.spec);
      await markObject(hub, kind, chain, { labels: componentLabels }, options);
      const troubles = fault === undefined && isGiven(chain) ? await bringTemplates(chain, ctx) : [];
      const validationError = fault ?? (troubles.length > 0 ? troubles.join('; ') : undefined);
      const { generation } = chain.metadata;
      const status = {
        valid: fault === undefined,
        ...(validationError !== undefined && { validationError }),
        ...(generation !== undefined && { observedGeneration: generation }),
      };
      await reportStatus(hub, kind, chain, status, options);
      return settled;
    }

    /** Makes copies of the templates that the chain lists, and answers what stands in the way. Those that are there are left alone. */
    async function bringTemplates(chain: ServiceTemplateChain, ctx: Context): Promise<string[]> {
      const { namespace = '', name: chainName = '', uid = '' } = chain.metadata;
      const troubles: string[] = [];
      for (const { name } of chain.spec.supportedTemplates ?? []) {
        if (known.get(`${namespace}/${name}`)) continue;
        const original = known.get(`${systemNamespace}/${name}`);
        if (!original) {
          troubles.push(`the ${templateKind.kind} ${systemNamespace}/${name} is not found in namespace ${systemNamespace}`);
          continue;
        }
        try {
          const spec = copiedSpec({ ...original, kind: templateKind.kind });
          if (!spec) continue;
          const ownerReferences = [{ apiVersion: apiVersionOf(kind), kind: kind.kind, name: chainName, uid }];
          const annotations = copiedAnnotations(original);
          const metadata = { namespace, name, labels: { [k0rdentLabels.managed]: 'true' }, annotations, ownerReferences };
          await hub.create(templateKind, newObject(templateKind, metadata, spec as T['spec']), { fieldManager, signal: ctx.signal });
        } catch (error) {
          if (error instanceof StatusError && error.reason === 'AlreadyExists') continue;
          if (error instanceof StatusError) throw error;
          troubles.push(errorText(error));
        }
      }
      return troubles;
    }
  }
}

const isGiven = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[k0rdentLabels.managed] === 'true' && metadata.namespace !== systemNamespace;
