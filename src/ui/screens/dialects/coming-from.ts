export interface ComingFrom {
  readonly title: string;
  /** The page of the guide about it. */
  readonly guide: string;
  readonly steps: readonly { readonly about: string; readonly command: string }[];
}

const join = { about: 'Make each of your clusters a member.', command: 'drover join NAME --kubeconfig FILE' };
const agent = { about: 'Make each of your clusters a member, and run on it the line that this prints.', command: 'drover import NAME' };
const tried = {
  about: 'Let the hub look at your YAML without keeping it: it says what it refuses, and warns of what it knows and does not act upon.',
  command: 'kubectl apply --dry-run=server -f FOLDER',
};
const applied = { about: 'Apply it.', command: 'kubectl apply -f FOLDER' };
const others = { guide: 'docs/guide/coming-from-others.md', steps: [join] };

/** How people come from what they have, by dialect. */
export const comingFrom: Readonly<Record<string, ComingFrom>> = {
  k0rdent: {
    title: 'Coming from k0rdent',
    guide: 'docs/guide/coming-from-k0rdent.md',
    steps: [
      join,
      tried,
      applied,
      { about: 'With syncMode: DryRun a service plans only; see what it would change.', command: 'drover diff mcs/NAME' },
    ],
  },
  Rancher: { title: 'Coming from Rancher', guide: 'docs/guide/coming-from-rancher.md', steps: [agent, tried, applied] },
  Workflows: {
    title: 'Coming from Harness',
    guide: 'docs/guide/coming-from-harness.md',
    steps: [join, tried, applied, { about: 'Run a workflow.', command: 'drover run NAME -n NAMESPACE --follow' }],
  },
  Karmada: { title: 'Coming from Karmada', guide: 'docs/guide/coming-from-karmada.md', steps: [join] },
  Harvester: { title: 'Coming from Harvester', guide: 'docs/guide/virtualization.md', steps: [agent] },
  Fleet: { title: 'Coming from Fleet', ...others },
  KubeFed: { title: 'Coming from KubeFed', ...others },
  'Cluster API': { title: 'Coming from Cluster API', ...others },
  'Multi-cluster services': { title: 'Coming from the MCS API', ...others },
  Istio: { title: 'Coming from Istio', ...others },
};
