import { Argument, type Command } from 'commander';
import { completionScripts, type Shell } from '../completion/scripts.ts';
import type { Terminal } from '../terminal.ts';

export function defineCompletion(command: Command, terminal: Terminal): void {
  command
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(completionScripts)))
    .addHelpText(
      'after',
      `
bash:        source <(drover completion bash)
zsh:         source <(drover completion zsh)
fish:        drover completion fish | source
powershell:  drover completion powershell | Out-String | Invoke-Expression
For "kubectl drover", put kubectl_complete-drover into your PATH beside kubectl-drover.`,
    )
    .action((shell: Shell) => terminal.out(completionScripts[shell]));
}
