import { defineKind, type DeclaredKind, type ObjectFor } from '../../api/define-kind.ts';
import { anyObject, optional, openObject, text, time } from '../../api/schema.ts';

const age = { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' } as const;
const kubevirt = { group: 'kubevirt.io', version: 'v1', scope: 'Namespaced' } as const;

/** KubeVirt's kinds, as far as a sandbox does something about them; whatever else they hold is kept. */
export const VirtualMachine = defineKind({
  ...kubevirt,
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  shortNames: ['vm', 'vms'],
  description: 'A virtual machine, running or not.',
  spec: anyObject('What the machine is.'),
  status: anyObject('What the machine does.'),
  columns: [
    age,
    { name: 'Status', type: 'string', path: '.status.printableStatus' },
    { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' },
  ],
});
export type VirtualMachine = ObjectFor<typeof VirtualMachine>;

export const VirtualMachineInstance = defineKind({
  ...kubevirt,
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  shortNames: ['vmi', 'vmis'],
  description: 'A virtual machine that runs.',
  spec: anyObject('What runs.'),
  status: openObject('How it runs.', {
    phase: optional(text('How far it has come.')),
    nodeName: optional(text('Where it runs.')),
  }),
  columns: [
    age,
    { name: 'Phase', type: 'string', path: '.status.phase' },
    { name: 'IP', type: 'string', path: '.status.interfaces[0].ipAddress' },
    { name: 'NodeName', type: 'string', path: '.status.nodeName' },
    { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' },
  ],
});
export type VirtualMachineInstance = ObjectFor<typeof VirtualMachineInstance>;

export const VirtualMachineInstanceMigration = defineKind({
  ...kubevirt,
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
  shortNames: ['vmim', 'vmims'],
  description: 'A move of a running virtual machine to another node.',
  spec: openObject('What moves where.', {
    vmiName: optional(text('Which instance moves.')),
    addedNodeSelector: optional(anyObject('Labels that its new node must have.')),
  }),
  status: openObject('How far it has come.', {
    phase: optional(text('How far it has come.')),
    migrationState: optional(openObject('The move itself.', { startTimestamp: optional(time('When it began.')) })),
  }),
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase' },
    { name: 'VMI', type: 'string', path: '.spec.vmiName' },
  ],
});
export type VirtualMachineInstanceMigration = ObjectFor<typeof VirtualMachineInstanceMigration>;

/** What else Harvester has and a sandbox only keeps. */
const kept = (group: string, version: string, kind: string, plural: string, shortNames: readonly string[], description: string) =>
  defineKind({
    group,
    version,
    kind,
    plural,
    shortNames,
    description,
    scope: 'Namespaced',
    spec: anyObject('What was asked for.'),
    status: anyObject('What became of it.'),
    columns: [age],
  });

export const VirtualMachineImage = kept(
  'harvesterhci.io',
  'v1beta1',
  'VirtualMachineImage',
  'virtualmachineimages',
  ['vmimage', 'vmimages'],
  'An image that disks of virtual machines begin with.',
);
export const KeyPair = kept('harvesterhci.io', 'v1beta1', 'KeyPair', 'keypairs', ['kp', 'kps'], 'A public key for virtual machines.');
export const NetworkAttachmentDefinition = kept(
  'k8s.cni.cncf.io',
  'v1',
  'NetworkAttachmentDefinition',
  'network-attachment-definitions',
  ['net-attach-def'],
  'A network for virtual machines.',
);

export const harvesterKinds: readonly DeclaredKind[] = [
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
  VirtualMachineImage,
  KeyPair,
  NetworkAttachmentDefinition,
];
