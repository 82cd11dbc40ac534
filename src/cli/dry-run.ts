import { Option } from 'commander';

export type DryRun = 'none' | 'client' | 'server';

/** `--dry-run`, `--dry-run=client` or `--dry-run=server`, as kubectl has them. */
export const dryRunOption = (what = 'change nothing'): Option =>
  new Option('--dry-run [where]', `${what}; "server" asks the hub whether it would be accepted`)
    .choices(['none', 'client', 'server'])
    .preset('client')
    .default('none');

/** What is said behind a change that was not made. */
export const dryRunMark = (dryRun: DryRun): string => (dryRun === 'none' ? '' : dryRun === 'server' ? ' (server dry run)' : ' (dry run)');
