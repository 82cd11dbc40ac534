import type { Cluster } from '../../src/apiserver/cluster.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { embeddedClient } from '../../src/hub/embedded-client.ts';

/** A client straight onto a cluster of the same process. */
export const memoryClient = (cluster: Cluster): KubeClient => embeddedClient({ cluster });
