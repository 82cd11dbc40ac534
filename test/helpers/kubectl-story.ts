import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe } from 'node:test';
import { startHub, type Hub } from './hub.ts';
import { kubectlFor, kubectlPrograms, type CommandLine } from './kubectl.ts';
import { scratchDir } from './real-cluster.ts';
import { missingRig } from './rig.ts';

export interface KubectlStory {
  readonly program: (typeof kubectlPrograms)[number];
  /** Where commands run. */
  readonly dir: string;
  readonly hub: Hub;
  readonly kubectl: CommandLine;
  /** Writes a file into the folder and answers its name. */
  file(name: string, text: string): string;
}

type KubectlProgram = KubectlStory['program'];

/** Tells the same story with every kubectl, each with a fresh hub; in the gate with one of them. */
export function tellWithEveryKubectl(title: string, inGate: KubectlProgram, tell: (story: KubectlStory) => void): void {
  for (const program of process.env['DROVER_GATE'] === 'true' ? [inGate] : kubectlPrograms)
    describe(`${program}: ${title}`, { skip: missingRig(program) ?? false, timeout: 120_000 }, () => {
      const scratch = scratchDir('kubectl');
      let hub: Hub | undefined;
      let kubectl: CommandLine | undefined;
      before(async () => {
        hub = await startHub();
        kubectl = kubectlFor(program, { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      });
      after(async () => {
        await hub?.[Symbol.asyncDispose]();
        scratch[Symbol.dispose]();
      });
      tell({
        program,
        dir: scratch.dir,
        get hub() {
          if (!hub) throw new Error('the hub is not running yet');
          return hub;
        },
        get kubectl() {
          if (!kubectl) throw new Error('the hub is not running yet');
          return kubectl;
        },
        file(name, text) {
          const full = path.join(scratch.dir, name);
          mkdirSync(path.dirname(full), { recursive: true });
          writeFileSync(full, text);
          return name;
        },
      });
    });
}
