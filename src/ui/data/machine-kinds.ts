import type { Kind } from './kinds.ts';

const kubevirt = { group: 'kubevirt.io', version: 'v1', isNamespaced: true } as const;
const harvester = { group: 'harvesterhci.io', version: 'v1beta1', isNamespaced: true } as const;

/** What Harvester clusters serve. */
export const machineKinds = {
  machine: { ...kubevirt, kind: 'VirtualMachine', plural: 'virtualmachines' },
  instance: { ...kubevirt, kind: 'VirtualMachineInstance', plural: 'virtualmachineinstances' },
  image: { ...harvester, kind: 'VirtualMachineImage', plural: 'virtualmachineimages' },
  keyPair: { ...harvester, kind: 'KeyPair', plural: 'keypairs' },
  volume: { group: '', version: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', isNamespaced: true },
  network: {
    group: 'k8s.cni.cncf.io',
    version: 'v1',
    kind: 'NetworkAttachmentDefinition',
    plural: 'network-attachment-definitions',
    isNamespaced: true,
  },
  project: { group: 'management.cattle.io', version: 'v3', kind: 'Project', plural: 'projects', isNamespaced: true },
} as const satisfies Record<string, Kind>;
