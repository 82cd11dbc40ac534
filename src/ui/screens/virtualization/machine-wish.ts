import { parseDocument, YAMLMap, YAMLSeq } from 'yaml';
import type { KubeObject } from '../../data/kinds.ts';

/** What somebody wants a new machine to be. */
export interface MachineWish {
  readonly name: string;
  readonly namespace: string;
  readonly description: string;
  readonly cores: number;
  readonly memoryGi: number;
  readonly disk: DiskWish;
  /** `<namespace>/<name>`; the network of the cluster itself when empty. */
  readonly network: string;
  readonly keys: readonly KeyWish[];
  readonly userData: string;
  readonly isStarted: boolean;
}

export type DiskWish =
  | { readonly from: 'image'; readonly image: ImageWish | undefined; readonly sizeGi: number }
  | { readonly from: 'volume'; readonly claim: string };

interface ImageWish {
  /** `<namespace>/<name>`. */
  readonly id: string;
  readonly storageClass: string | undefined;
  readonly virtualBytes: number | undefined;
}

interface KeyWish {
  /** `<namespace>/<name>`. */
  readonly id: string;
  readonly publicKey: string;
}

const gibibyte = 1024 ** 3;
const marks = {
  claims: 'harvesterhci.io/volumeClaimTemplates',
  image: 'harvesterhci.io/imageId',
  keys: 'harvesterhci.io/sshNames',
  machine: 'harvesterhci.io/vmName',
  creator: 'harvesterhci.io/creator',
  description: 'field.cattle.io/description',
};
const cloudConfig = '#cloud-config';
/** A name on the network has no more. */
const longestName = 63;

/** What is wrong with a wish, by field, in the words of a person. Empty when it can be tried. */
export function faultsOf({ name, namespace, cores, memoryGi, disk, keys, userData }: MachineWish): Readonly<Record<string, string>> {
  const faults: Record<string, string> = {};
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > longestName)
    faults['name'] = 'Small letters, digits and dashes, 63 at most, with a letter or digit at both ends.';
  if (namespace === '') faults['namespace'] = 'Choose one.';
  if (!Number.isInteger(cores) || cores < 1) faults['cores'] = 'At least one.';
  if (!(memoryGi > 0)) faults['memory'] = 'More than nothing.';
  if (disk.from === 'volume' && disk.claim === '') faults['disk'] = 'Choose a volume.';
  if (disk.from === 'image') {
    const least = Math.ceil((disk.image?.virtualBytes ?? 0) / gibibyte);
    if (!disk.image) faults['disk'] = 'Choose an image.';
    else if (!(disk.sizeGi >= Math.max(1, least))) faults['disk'] = `The disk has to hold the image: ${Math.max(1, least)} GiB at least.`;
  }
  const fault = userDataFault(userData, keys.length > 0);
  if (fault) faults['userData'] = fault;
  return faults;
}

function userDataFault(text: string, hasKeys: boolean): string | undefined {
  if (text.trim() === '') return undefined;
  if (!text.startsWith(cloudConfig))
    return hasKeys ? `SSH keys can be added only to user data that begins with ${cloudConfig}.` : undefined;
  const document = parseDocument(text);
  if (document.errors[0]) return document.errors[0].message.split('\n')[0];
  if (document.contents !== null && !(document.contents instanceof YAMLMap)) return 'It has to be fields with values.';
  return undefined;
}

/** What cloud-init gets: the text as it is, and the keys in it. Empty when there is nothing to say. */
export function userDataOf(text: string, keys: readonly KeyWish[]): string {
  if (keys.length === 0) return text.trim() === '' ? '' : text;
  const document = parseDocument(text);
  const present: unknown = document.get('ssh_authorized_keys');
  const known = present instanceof YAMLSeq ? (present.toJSON() as string[]) : [];
  document.set('ssh_authorized_keys', [...new Set([...known, ...keys.map(one => one.publicKey.trim())])]);
  const body = document.toString({ lineWidth: 0 });
  return body.startsWith(cloudConfig) ? body : `${cloudConfig}\n${body}`;
}

/** The objects that make it: the machine, with the disks that Harvester makes for it, and a Secret for what cloud-init gets. `suffix` tells it from earlier ones. */
export function objectsFor(wish: MachineWish, suffix: string): { readonly machine: KubeObject; readonly secret: KubeObject | undefined } {
  const { name, namespace, cores, memoryGi, keys } = wish;
  const userData = userDataOf(wish.userData, keys);
  const secretName = `${name}-${suffix}`;
  const { claimName, template } = diskOf(wish, suffix);
  const limits = { cpu: String(cores), memory: `${memoryGi}Gi` };
  const { network, interface: plug } = plugOf(wish.network);
  const volumes = [{ name: 'disk-0', persistentVolumeClaim: { claimName } }];
  const disks = [{ name: 'disk-0', disk: { bus: 'virtio' }, bootOrder: 1 }];
  const hasCloudInit = userData !== '';
  const machine = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name,
      namespace,
      labels: { [marks.creator]: 'harvester' },
      annotations: {
        ...(wish.description !== '' && { [marks.description]: wish.description }),
        ...(template && { [marks.claims]: JSON.stringify([template]) }),
      },
    },
    spec: {
      runStrategy: wish.isStarted ? 'RerunOnFailure' : 'Halted',
      template: {
        metadata: {
          labels: { [marks.machine]: name },
          ...(keys.length > 0 && { annotations: { [marks.keys]: JSON.stringify(keys.map(one => one.id)) } }),
        },
        spec: {
          hostname: name,
          evictionStrategy: 'LiveMigrateIfPossible',
          terminationGracePeriodSeconds: 120,
          networks: [network],
          volumes: [
            ...volumes,
            ...(hasCloudInit ? [{ name: 'cloudinitdisk', cloudInitNoCloud: { secretRef: { name: secretName } } }] : []),
          ],
          domain: {
            cpu: { cores, sockets: 1, threads: 1 },
            resources: { limits },
            machine: { type: 'q35' },
            features: { acpi: { enabled: true } },
            devices: {
              // So that the arrow is where the mouse is.
              inputs: [{ name: 'tablet', type: 'tablet', bus: 'usb' }],
              interfaces: [plug],
              disks: [...disks, ...(hasCloudInit ? [{ name: 'cloudinitdisk', disk: { bus: 'virtio' } }] : [])],
            },
          },
        },
      },
    },
  };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretName, namespace, labels: { [marks.machine]: name } },
    type: 'Opaque',
    stringData: { userdata: userData },
  };
  return { machine: machine as KubeObject, secret: hasCloudInit ? (secret as KubeObject) : undefined };
}

function diskOf({ name, disk }: MachineWish, suffix: string): { readonly claimName: string; readonly template?: object } {
  if (disk.from === 'volume') return { claimName: disk.claim };
  const claimName = `${name}-disk-0-${suffix}`;
  const { image, sizeGi } = disk;
  return {
    claimName,
    template: {
      metadata: { name: claimName, annotations: { [marks.image]: image?.id } },
      spec: {
        accessModes: ['ReadWriteMany'],
        volumeMode: 'Block',
        resources: { requests: { storage: `${sizeGi}Gi` } },
        ...(image?.storageClass !== undefined && { storageClassName: image.storageClass }),
      },
    },
  };
}

/** The network of pods hides the machine behind an address of the node; any other is a bridge. */
const plugOf = (network: string) =>
  network === ''
    ? { network: { name: 'default', pod: {} }, interface: { name: 'default', masquerade: {}, model: 'virtio' } }
    : { network: { name: 'default', multus: { networkName: network } }, interface: { name: 'default', bridge: {}, model: 'virtio' } };
