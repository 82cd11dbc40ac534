import { hub } from './kinds.ts';
import { ApiError } from './request.ts';

/*
 * Administrators see the hub as one more cluster. Others, members of a cluster or of a project, have no way to its API: they see their clusters through
 * Rancher's API, and asking the hub itself would only be refused.
 */
let isVisible = true;

export const seesHub = (): boolean => isVisible;

export function setHubSight(visible: boolean): void {
  isVisible = visible;
}

export const isHidden = (cluster: string | undefined): boolean => !isVisible && (cluster ?? hub) === hub;

export const hubRefuses = (what: string): ApiError =>
  new ApiError(403, `You may not see ${what} of the hub itself; clusters and projects that you are a member of are open to you`);
