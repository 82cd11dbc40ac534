import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** Adds arguments, options and the action to a command whose name and summary are set. The action throws to fail. */
export type DefineCommand = (command: Command, terminal: Terminal) => void;

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly group: CommandGroup;
  /** Another name for the same. */
  readonly alias?: string;
  /** For programs, not people: left out of help and completion. */
  readonly isHidden?: boolean;
  /** Only the command that was asked for is loaded, so that the others cost nothing. */
  load(): Promise<DefineCommand>;
}

type CommandGroup =
  | 'The hub:'
  | 'Members:'
  | 'Objects, on the hub and on members:'
  | 'Works, what members should run:'
  | 'Workflows:'
  | 'Charts:'
  | 'This program:';

/** Every command, in the order of the help. A new one is a file in commands/ and a line here. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: 'up',
    alias: 'hub',
    summary: 'start the hub: a Kubernetes API in one process',
    group: 'The hub:',
    load: async () => (await import('./commands/up.ts')).defineUp,
  },
  {
    name: 'login',
    summary: 'sign in at a hub: with a browser, a code, or a password',
    group: 'The hub:',
    load: async () => (await import('./commands/login.ts')).defineLogin,
  },
  {
    name: 'logout',
    summary: 'sign out, and take the token back',
    group: 'The hub:',
    load: async () => (await import('./commands/logout.ts')).defineLogout,
  },
  {
    name: 'token',
    summary: 'print the token of a login, for kubectl and others; list, make and revoke tokens',
    group: 'The hub:',
    load: async () => (await import('./commands/token.ts')).defineToken,
  },
  {
    name: 'sandbox',
    summary: 'make, show and remove clusters that live inside the hub',
    group: 'Members:',
    load: async () => (await import('./commands/sandbox.ts')).defineSandbox,
  },
  {
    name: 'join',
    summary: 'make a cluster a member, by its kubeconfig',
    group: 'Members:',
    load: async () => (await import('./commands/join.ts')).defineJoin,
  },
  {
    name: 'unjoin',
    summary: 'end the membership of a cluster',
    group: 'Members:',
    load: async () => (await import('./commands/unjoin.ts')).defineUnjoin,
  },
  {
    name: 'cordon',
    summary: 'keep new services and runs off a cluster',
    group: 'Members:',
    load: async () => (await import('./commands/cordon.ts')).defineCordon,
  },
  {
    name: 'uncordon',
    summary: 'let services and runs come to a cluster again',
    group: 'Members:',
    load: async () => (await import('./commands/uncordon.ts')).defineUncordon,
  },
  {
    name: 'drain',
    summary: 'take what services have placed off a cluster',
    group: 'Members:',
    load: async () => (await import('./commands/drain.ts')).defineDrain,
  },
  {
    name: 'import',
    summary: 'invite a cluster whose agent dials the hub',
    group: 'Members:',
    load: async () => (await import('./commands/import.ts')).defineImport,
  },
  {
    name: 'agent',
    summary: 'connect a cluster to a hub from the inside',
    group: 'Members:',
    load: async () => (await import('./commands/agent.ts')).defineAgent,
  },
  {
    name: 'get',
    summary: 'show objects of the hub, of one member or of many',
    group: 'Objects, on the hub and on members:',
    load: async () => (await import('./commands/get.ts')).defineGet,
  },
  {
    name: 'describe',
    summary: 'show every field of objects, and what happened to them',
    group: 'Objects, on the hub and on members:',
    load: async () => (await import('./commands/describe.ts')).defineDescribe,
  },
  {
    name: 'wait',
    summary: 'wait until objects are as they should be, here or on many members',
    group: 'Objects, on the hub and on members:',
    load: async () => (await import('./commands/wait.ts')).defineWait,
  },
  {
    name: 'kubectl',
    summary: 'run kubectl on a member, through the hub',
    group: 'Objects, on the hub and on members:',
    load: async () => (await import('./commands/kubectl.ts')).defineKubectl,
  },
  {
    name: 'kubeconfig',
    summary: 'print a kubeconfig for a member, through the hub',
    group: 'Objects, on the hub and on members:',
    load: async () => (await import('./commands/kubeconfig.ts')).defineKubeconfig,
  },
  {
    name: 'audit',
    summary: 'show who did what where',
    group: 'Objects, on the hub and on members:',
    load: async () => (await import('./commands/audit.ts')).defineAudit,
  },
  {
    name: 'explain',
    summary: 'tell in plain words how a Work is, and why; what fields of a kind are for',
    group: 'Works, what members should run:',
    load: async () => (await import('./commands/explain.ts')).defineExplain,
  },
  {
    name: 'diff',
    summary: 'show what the delivery of a Work would change',
    group: 'Works, what members should run:',
    load: async () => (await import('./commands/diff.ts')).defineDiff,
  },
  {
    name: 'history',
    summary: 'show what a Work has delivered',
    group: 'Works, what members should run:',
    load: async () => (await import('./commands/history.ts')).defineHistory,
  },
  {
    name: 'rollback',
    summary: 'bring back what a Work delivered earlier, or undo a run',
    group: 'Works, what members should run:',
    load: async () => (await import('./commands/rollback.ts')).defineRollback,
  },
  {
    name: 'reapply',
    summary: 'put what a Work delivers on its member once more',
    group: 'Works, what members should run:',
    load: async () => (await import('./commands/reapply.ts')).defineReapply,
  },
  {
    name: 'release',
    summary: 'let a Work go whose member is lost',
    group: 'Works, what members should run:',
    load: async () => (await import('./commands/release.ts')).defineRelease,
  },
  {
    name: 'rollout',
    summary: 'show, pause, abort or undo how a change comes to many clusters',
    group: 'Works, what members should run:',
    load: async () => (await import('./commands/rollout.ts')).defineRollout,
  },
  {
    name: 'run',
    summary: 'run a workflow or a pipeline, and follow it',
    group: 'Workflows:',
    load: async () => (await import('./commands/run.ts')).defineRun,
  },
  {
    name: 'runs',
    summary: 'show runs of workflows and pipelines',
    group: 'Workflows:',
    load: async () => (await import('./commands/runs.ts')).defineRuns,
  },
  {
    name: 'logs',
    summary: 'show what the steps of a run say, or containers on members',
    group: 'Workflows:',
    load: async () => (await import('./commands/logs.ts')).defineLogs,
  },
  {
    name: 'pause',
    summary: 'let a run begin nothing new',
    group: 'Workflows:',
    load: async () => (await import('./commands/pause.ts')).definePause,
  },
  {
    name: 'resume',
    summary: 'let a run go on',
    group: 'Workflows:',
    load: async () => (await import('./commands/resume.ts')).defineResume,
  },
  {
    name: 'abort',
    summary: 'stop a run, and undo nothing',
    group: 'Workflows:',
    load: async () => (await import('./commands/abort.ts')).defineAbort,
  },
  {
    name: 'approve',
    summary: 'approve what a run waits for',
    group: 'Workflows:',
    load: async () => (await import('./commands/approve.ts')).defineApprove,
  },
  {
    name: 'reject',
    summary: 'reject what a run waits for',
    group: 'Workflows:',
    load: async () => (await import('./commands/reject.ts')).defineReject,
  },
  {
    name: 'template',
    summary: 'render a chart as "helm template" does',
    group: 'Charts:',
    load: async () => (await import('./commands/template.ts')).defineTemplate,
  },
  {
    name: 'chart',
    summary: 'push charts to the store of the hub, show and remove them',
    group: 'Charts:',
    load: async () => (await import('./commands/chart.ts')).defineChart,
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands in your shell',
    group: 'This program:',
    load: async () => (await import('./commands/completion.ts')).defineCompletion,
  },
  {
    name: '__complete',
    summary: 'answer a shell that completes a command',
    group: 'This program:',
    isHidden: true,
    load: async () => (await import('./commands/complete.ts')).defineComplete,
  },
  {
    name: 'version',
    summary: 'show the versions of this program and of the hub',
    group: 'This program:',
    load: async () => (await import('./commands/version.ts')).defineVersion,
  },
];
