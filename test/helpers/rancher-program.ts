import { existsSync } from 'node:fs';

/** Rancher's own program. The rig cannot build it: the Go proxy does not serve all modules it is made of. Whoever has one (CONTRIBUTING.md says how) names it here. */
export const rancher = process.env['RANCHER_CLI'] ?? '';
export const noRancher = rancher !== '' && existsSync(rancher) ? false : 'RANCHER_CLI names no rancher program';
