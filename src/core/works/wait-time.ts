import type { Work } from '../../api/work.ts';
import { releaseOptions } from '../releases/release-options.ts';

/** How long the objects of a Work may take to become healthy; undefined when nobody waits for that. */
export function waitMsOf({ spec }: Work): number | undefined {
  const { wait, timeoutMs } = releaseOptions(spec.options ?? {});
  return wait ? timeoutMs : undefined;
}
