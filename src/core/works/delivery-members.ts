import type { Member } from '../delivery/member.ts';

/** The clusters that a deliverer delivers to, by their namespace on the hub. */
export interface DeliveryMembers {
  /** Undefined when it is not this deliverer's, or not there. */
  find(namespace: string): { /** Empty when it is not known. */ readonly name: string } | undefined;
  /** The same until the way to it changes. Throws UnreachableError when there is none. */
  open(namespace: string): Member;
  /** Hears the namespaces of clusters to which the way is another now (then so is the Member), and of those that have come back or left. */
  subscribe(listener: (namespace: string, isOtherWay?: boolean) => void): Disposable;
  /** Whether the cluster is known to be out of reach. */
  isLost(namespace: string): boolean;
  /** Whether the hub is to leave it as it is for now. */
  isPaused(namespace: string): boolean;
  readonly synced: Promise<void>;
}
