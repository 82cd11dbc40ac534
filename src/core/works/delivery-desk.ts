import type { Work } from '../../api/work.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { EventRecorder } from '../../runtime/event-recorder.ts';
import type { Key } from '../../runtime/key.ts';
import type { RenderPool } from '../../render/render-pool.ts';
import type { Member } from '../delivery/member.ts';
import type { DeliveryMembers } from './delivery-members.ts';
import type { Followers } from './followers.ts';
import type { ObjectClaims } from './object-claims.ts';
import type { StatusReports } from './status-reports.ts';
import type { WorkState } from './work-state.ts';

/** What those who deliver share. */
export interface DeliveryDesk {
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly members: DeliveryMembers;
  readonly renderer: RenderPool;
  readonly reports: StatusReports;
  readonly events: EventRecorder;
  readonly followers: Followers;
  /** Throws HubError when the hub cannot be asked, ContentMissingError when it has no such bytes. */
  readContent(digest: string, signal: AbortSignal): Promise<Buffer>;
  /** What is known of a Work; made from its status the first time. */
  state(work: Work): WorkState;
  /** The claims on objects of one cluster. */
  claims(namespace: string): ObjectClaims;
  clusterName(work: Work): string;
  /** Another look at these Works. */
  look(works: Iterable<Work>): void;
  now(): Date;
}

/** The hub could not be asked or told. Nothing is wrong with the Work or the member, and nobody is told but the log. */
export class HubError extends Error {
  override name = 'HubError';
}

export interface Turn {
  readonly signal: AbortSignal;
}

export type { Key, Member };
