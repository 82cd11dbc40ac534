import type { KubeClient } from '../client/kube-client.ts';
import type { CertificateFiles } from './given-certificate.ts';

export interface HubOptions {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** Where members find the hub, when that is not where it listens. */
  readonly serverUrl: string | undefined;
  /** The image that imported clusters run as their agent. */
  readonly agentImage: string;
  readonly version: string;
  /** Subnets that sources of charts may be in though they are not public, such as 10.0.0.0/8. */
  readonly allowEgress?: readonly string[];
  /** How many clusters workflows change at the same time, over all runs. */
  readonly clustersAtOnce?: number | undefined;
  /** A certificate of somebody else's, for the names that it holds. */
  readonly tls?: CertificateFiles | undefined;
  /** Of the first administrator, when the hub shall not make one up and print it. */
  readonly firstPassword?: string | undefined;
  /** Serves the Kubernetes API and nothing else: no kinds of ours, no members. */
  readonly isApiOnly?: boolean;
}

export interface Hub {
  readonly url: string;
  /** Of its administrator. */
  readonly kubeconfig: string;
  /** Set on the very first start. */
  readonly newPassword: string | undefined;
  /** The API of the hub, as the hub itself. */
  readonly client: KubeClient;
  /** Resolves when its kinds are served and its controllers run. */
  readonly ready: Promise<void>;
  /** The address of the page that signs in the first administrator, once, within a quarter of an hour. Waits until it can be used. */
  signInLink(): Promise<string>;
  /** Resolves when another hub on the same API leads: this one has stopped. */
  readonly lost?: Promise<Error>;
  close(): Promise<void>;
}
