import { startControllerManager, startRealApiServer, type Etcd, type RealApiServerOptions, type RealCluster } from './real-cluster.ts';

/** What a cluster must do by itself to be joined and left: give tokens, remove namespaces, collect what has lost its owner. */
const controllers = [
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'namespace-controller',
  'garbage-collector-controller',
  'root-ca-certificate-publisher-controller',
];

/** A real kube-apiserver with those controllers that membership needs. */
export async function startRealMember(
  etcd: Etcd,
  { moreControllers = [], ...options }: Omit<RealApiServerOptions, 'etcd'> & { readonly moreControllers?: readonly string[] } = {},
): Promise<RealCluster> {
  const member = await startRealApiServer({ etcd, ...options });
  try {
    await startControllerManager(member, { controllers: [...controllers, ...moreControllers] });
  } catch (error) {
    await member[Symbol.asyncDispose]();
    throw error;
  }
  return member;
}
