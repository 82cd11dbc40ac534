import { apiVersionOf, parseApiVersion, type KubeObject } from '../../src/api/object.ts';
import type { AdmissionPlugin } from '../../src/apiserver/admission/admission.ts';
import { Cluster } from '../../src/apiserver/cluster.ts';
import { crdController } from '../../src/apiserver/crd/crd-controller.ts';
import { crdResource } from '../../src/apiserver/crd/crd-object.ts';
import { serveDefinitions } from '../../src/apiserver/crd/serve-definitions.ts';
import type { Resource } from '../../src/apiserver/resource.ts';
import { memoryJournal } from '../../src/store/journal.ts';
import { Store } from '../../src/store/store.ts';

export interface MemoryClusterOptions {
  /** Default: none, so that tests write what they like; validation and defaults are always there. */
  readonly plugins?: readonly AdmissionPlugin[];
  readonly namespaces?: readonly string[];
  readonly now?: () => Date;
  onError?(what: string, error: unknown): void;
}

/** The real cluster over a store in memory, with short ways to fill it. */
export class MemoryCluster extends Cluster implements Disposable {
  readonly #definitions = serveDefinitions(this, {});

  /** The resource of a kind, in the version given. */
  resourceOf({ apiVersion, kind }: { apiVersion: string; kind: string }): Resource {
    const resource = this.catalog.findKind({ ...parseApiVersion(apiVersion), kind });
    if (!resource) throw new Error(`no kind "${kind}" in "${apiVersion}"`);
    return resource;
  }

  /** Creates an object, then writes its status, if it has one, as controllers do. */
  async add(obj: KubeObject): Promise<KubeObject> {
    const resource = this.resourceOf(obj);
    const created = await this.create(resource, obj);
    if (obj['status'] === undefined) return created;
    return this.update(resource, { ...created, status: obj['status'] }, { subresource: 'status' });
  }

  /** Creates an object or replaces it. */
  async put(obj: KubeObject): Promise<KubeObject> {
    const resource = this.resourceOf(obj);
    const { namespace = '', name = '' } = obj.metadata;
    return this.peek(resource, namespace, name) ? this.update(resource, obj) : this.add(obj);
  }

  async remove(obj: KubeObject): Promise<void> {
    const { namespace = '', name = '' } = obj.metadata;
    await this.delete(this.resourceOf(obj), { namespace, name });
  }

  /** Serves a custom resource without rules. */
  async define(apiVersion: string, resource: string, kind: string): Promise<Resource> {
    const { group, version } = parseApiVersion(apiVersion);
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    using controller = crdController(this);
    await this.add({
      apiVersion: apiVersionOf(crdResource),
      kind: 'CustomResourceDefinition',
      metadata: { name: `${resource}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: resource, kind },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    });
    await controller.idle();
    return this.resourceOf({ apiVersion, kind });
  }

  [Symbol.dispose](): void {
    this.#definitions[Symbol.dispose]();
    this.watches.close();
    void this.store.close();
  }
}

export async function startMemoryCluster({ plugins = [], namespaces = [], ...options }: MemoryClusterOptions = {}): Promise<MemoryCluster> {
  const cluster = new MemoryCluster(await Store.open(memoryJournal()), options);
  cluster.plugins = plugins;
  for (const name of namespaces) await cluster.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return cluster;
}
