import path from 'node:path';
import { CommandLine } from './kubectl.ts';
import { repositoryRoot } from './rig.ts';

/** Our command line, with a home of its own and no hub but the one given. */
export function droverFor({ hub, dir }: { hub?: string; dir: string }): CommandLine {
  const env = { HOME: dir, KUBECONFIG: '', DROVER_KUBECONFIG: hub ?? '', NO_COLOR: '1' };
  const node = path.join(repositoryRoot, 'node_modules/.bin/node');
  return new CommandLine(node, { env, cwd: dir }, [path.join(repositoryRoot, 'bin/drover.js')]);
}
